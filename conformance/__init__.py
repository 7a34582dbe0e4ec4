"""``make conformance``: Karpenter core's own end-to-end suites, unmodified, against a cluster of the sandbox.

The sandbox knows nothing of the suites: what passes here would pass against a cluster of AWS.
"""
