"""EC2's client errors. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html"""

from __future__ import annotations

from sandbox.emulators import moto


def client_error(code: str, message: str) -> Exception:
    """An error that moto renders as EC2 does."""
    moto.load()
    from moto.ec2.exceptions import EC2ClientError

    error: Exception = EC2ClientError(code, message)
    return error


def dry_run() -> Exception:
    """What a call with DryRun answers when it would have succeeded; HTTP 412."""
    return client_error("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
