"""A local twin of AWS and EKS: real Kubernetes and Karpenter, an emulated AWS API, loopback only."""
