#!/usr/bin/env python3
"""Packs an unpacked archive of a release as a Python wheel: the program as a script, and the module of notebooks.

    wheel.py ROOT VERSION TAG[.TAG...] TIME DIR

TAG is a platform of wheels, such as manylinux2014_x86_64; TIME, in seconds since 1970, is that of all files. The same
ROOT gives the same bytes. Prints the name of the wheel in DIR.
"""

import base64
import hashlib
import sys
import time
import zipfile
from pathlib import Path

METADATA = """\
Metadata-Version: 2.1
Name: jitterfly
Version: {version}
Summary: Monte Carlo analysis of collectives under OS jitter and network noise
Author: the jitterfly project
Requires-Python: >=3.9
Provides-Extra: notebooks
Requires-Dist: polars; extra == "notebooks"
Requires-Dist: pandas; extra == "notebooks"
Requires-Dist: pyarrow; extra == "notebooks"
Requires-Dist: matplotlib; extra == "notebooks"
Description-Content-Type: text/plain

The program jitterfly, and the module jitterfly, which runs it and reads its tables.
jitterfly[notebooks] also installs what those tables and pictures need.

There is no licence yet: until the project has one, the usual copyright applies.
The licences of the modules in the program are in this wheel.
"""


def files(root, version, tags):
    """Returns the wheel's files but RECORD: (name, content, mode)."""
    about = f"jitterfly-{version}.dist-info"
    described = "Wheel-Version: 1.0\nGenerator: jitterfly tools/wheel.py\nRoot-Is-Purelib: false\n"
    described += "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    # A package, as type checkers look for py.typed in packages alone.
    yield "jitterfly/__init__.py", (root / "share/jitterfly/jitterfly.py").read_bytes(), 0o644
    yield "jitterfly/py.typed", b"", 0o644
    yield f"jitterfly-{version}.data/scripts/jitterfly", (root / "bin/jitterfly").read_bytes(), 0o755
    notices = root / "share/doc/jitterfly"
    for path in sorted(notices.glob("licenses/**/*")):
        if path.is_file():
            yield f"{about}/{path.relative_to(notices).as_posix()}", path.read_bytes(), 0o644
    yield f"{about}/sboms/jitterfly.spdx.json", (notices / "jitterfly.spdx.json").read_bytes(), 0o644
    yield f"{about}/METADATA", METADATA.format(version=version).encode(), 0o644
    yield f"{about}/WHEEL", described.encode(), 0o644


def main(root, version, tags, seconds, folder):
    version = version.replace("-", "+")  # a local version, as of modified files
    name = f"jitterfly-{version}-py3-none-{tags}.whl"
    date = time.gmtime(int(seconds))[:6]
    record = f"jitterfly-{version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(Path(folder, name), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:

        def write(file, content, mode):
            entry = zipfile.ZipInfo(file, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, content)

        for file, content, mode in files(Path(root), version, tags):
            write(file, content, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{file},sha256={digest},{len(content)}\n")
        write(record, "".join([*lines, f"{record},,\n"]).encode(), 0o644)
    print(name)


main(*sys.argv[1:])
