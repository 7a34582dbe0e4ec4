"""The EKS and EKS Auth APIs of the sandbox, and the webhooks that EKS runs in its clusters."""
