"""Files and environment variables that point AWS clients at one account of the sandbox."""

from __future__ import annotations

from pathlib import Path

from sandbox.state import write_json, write_private

REGION = "us-west-2"
PROFILE = "sandbox"


def write(
    folder: Path, environment: Path, front_url: str, access_key_id: str, secret_access_key: str
) -> dict[str, str]:
    """Write ``config`` and ``credentials`` into ``folder``, the variables into ``environment``; all with mode 0600.

    The variables: https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-envvars.html
    """
    config, credentials = folder / "config", folder / "credentials"
    write_private(config, f"[profile {PROFILE}]\nregion = {REGION}\noutput = json\n")
    write_private(
        credentials,
        f"[{PROFILE}]\naws_access_key_id = {access_key_id}\naws_secret_access_key = {secret_access_key}\n",
    )
    values = {
        "AWS_ENDPOINT_URL": front_url,
        "AWS_CONFIG_FILE": str(config),
        "AWS_SHARED_CREDENTIALS_FILE": str(credentials),
        "AWS_PROFILE": PROFILE,
        "AWS_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        # A proxy of the user's has no business with loopback.
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }
    write_json(environment, values)
    return values
