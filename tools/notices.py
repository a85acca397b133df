#!/usr/bin/env python3
"""Writes the licences of what a binary is linked of, and their list in SPDX.

    notices.py BINARY DIR VERSION TIME

TIME is that of the commit, in seconds since 1970. In DIR there are then licenses/MODULE@VERSION/, with the files that
the module has, and jitterfly.spdx.json (SPDX 2.3). A module without a licence file is an error. Licences are not
judged: the list says NOASSERTION, and of jitterfly, which has no licence yet, NONE.
"""

import datetime
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

LICENCE = re.compile(r"(un)?licen[sc]es?|copying|notice|patents|copyright|authors", re.IGNORECASE)


def go(*words):
    return subprocess.run(["go", *words], check=True, capture_output=True, text=True).stdout


def modules(binary):
    """Returns the modules of a binary, as (name, version, folder of its source); Go's own library is the last."""
    rows = [line.split() for line in go("version", "-m", binary).splitlines()]
    found = [(row[1], row[2]) for row in rows if row[0] == "dep"]
    folders = [json.loads(go("mod", "download", "-json", f"{name}@{version}"))["Dir"] for name, version in found]
    compiler = rows[0][1].removeprefix("go")
    return [(*module, Path(folder)) for module, folder in zip(found, folders)] + [("std", compiler, Path(go("env", "GOROOT").strip()))]


def copy_licences(module, target):
    name, version, folder = module
    texts = [path for path in folder.iterdir() if LICENCE.match(path.name)]
    if not texts:
        sys.exit(f"notices: {name}@{version} has no licence file")
    target.mkdir(parents=True)
    for path in texts:
        if path.is_dir():
            shutil.copytree(path, target / path.name, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(path, target / path.name)


def spdx(found, version, time):
    """Returns the SPDX document, which is the same for the same modules, version and time."""

    def package(identity, name, number, declared, purl):
        return {
            "SPDXID": identity,
            "name": name,
            "versionInfo": number,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION",
            "licenseDeclared": declared,
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
        }

    packages = [package("SPDXRef-jitterfly", "jitterfly", version, "NONE", f"pkg:generic/jitterfly@{version}")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-jitterfly")]
    for number, (name, at, _) in enumerate(found):
        identity = f"SPDXRef-module-{number}"
        packages.append(package(identity, name, at, "NOASSERTION", f"pkg:golang/{name}@{at}"))
        relations.append(("SPDXRef-jitterfly", "STATIC_LINK", identity))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"jitterfly-{version}",
        "documentNamespace": f"urn:jitterfly:spdx:{version}:{time}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(int(time), datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: the jitterfly project", "Tool: tools/notices.py"],
        },
        "packages": packages,
        "relationships": [dict(zip(("spdxElementId", "relationshipType", "relatedSpdxElement"), row)) for row in relations],
    }


def main(binary, folder, version, time):
    found = modules(binary)
    for module in found:
        copy_licences(module, Path(folder, "licenses", f"{module[0]}@{module[1]}"))
    Path(folder, "jitterfly.spdx.json").write_text(json.dumps(spdx(found, version, time), indent=1) + "\n", encoding="utf-8")


main(*sys.argv[1:])
