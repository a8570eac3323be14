"""Keys in the system's keyring, where the package for it is installed. Nothing is written there by us."""

from __future__ import annotations

SERVICE = "harkback"


def in_keyring(name: str) -> str:
    """Give the key that stands under a name of the service `harkback`; "" where there is none, or no keyring."""
    from importlib.util import find_spec

    if find_spec("keyring") is None:
        return ""
    from importlib import import_module

    try:
        return str(import_module("keyring").get_password(SERVICE, name) or "").strip()
    except Exception:  # noqa: BLE001 - each system's keyring fails in its own way
        return ""
