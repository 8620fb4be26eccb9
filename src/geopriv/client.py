"""The device: verifies a design, makes one report a person, and keeps account. Standard library only.

    python -m geopriv.client design.json --hash 5e1f… --unit USD --most-epsilon 0.001 --total 0.01 --ledger f --value -

prints one line to send. Exit codes: 0 done, 1 the design, the policy or what was spent refuses, 2 bad input.
"""

from geopriv.device.client import Client, load
from geopriv.device.command import main
from geopriv.device.policy import Policy

__all__ = ["Client", "Policy", "load", "main"]

if __name__ == "__main__":
    raise SystemExit(main())
