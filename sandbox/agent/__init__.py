"""EC2 instances that become nodes, pods that run as processes, and the kubelet's API."""
