"""cfn-lint on every CloudFormation template of the roles."""

from __future__ import annotations

import subprocess
import sys

from scripts.stage import ROOT


def main() -> int:
    """0 when the templates are clean; 2 when there are none to look at."""
    templates = sorted(
        str(path.relative_to(ROOT))
        for path in ROOT.glob("roles/*/files/*.yml")
        if "AWSTemplateFormatVersion" in path.read_text(encoding="utf-8")
    )
    if not templates:
        print("no template found below roles/*/files", file=sys.stderr)
        return 2
    print("\n".join(templates))
    return subprocess.run(["cfn-lint", "--non-zero-exit-code", "informational", *templates], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
