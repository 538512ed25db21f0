"""A small folder of datasets, and OpenML as it answers over the network."""

import hashlib
import io
import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request

import pandas as pd

# In the form of OpenML's answers for dataset 41.
ARFF = """@RELATION glass
@ATTRIBUTE RI REAL
@ATTRIBUTE colour {green,brown,clear}
@ATTRIBUTE Type {float,tableware,'vehicle non-float'}
@DATA
1.51793,green,float
?,brown,tableware
1.51643,?,float
"""


class Answer(io.BytesIO):
    """One answer, as `urlopen` returns it."""

    def info(self) -> dict[str, str]:
        return {}


class Answers:
    """OpenML with one dataset, 41, and the addresses that were asked for."""

    def __init__(self, default_target: str | None = "Type") -> None:
        self.default_target = default_target
        self.asked: list[str] = []

    def open(self, request: Request) -> Answer:
        url = request.full_url
        self.asked.append(url)
        for ending, content in self._contents().items():
            if url.endswith(ending):
                return Answer(content)
        raise HTTPError(url, 412, "Precondition Failed", {}, io.BytesIO())  # type: ignore[arg-type]

    def _contents(self) -> dict[str, bytes]:
        return {
            "/json/data/41": json.dumps({"data_set_description": self._description()}).encode(),
            "/data/features/41": json.dumps({"data_features": {"feature": self._features()}}).encode(),
            "/data/qualities/41": json.dumps({"data_qualities": {"quality": self._qualities()}}).encode(),
            "/download/41/glass.arff": ARFF.encode(),
        }

    def _description(self) -> dict[str, str]:
        description = {
            "id": "41",
            "name": "glass",
            "version": "1",
            "description": "**Author**: B. German",
            "format": "ARFF",
            "upload_date": "2014-04-06T23:21:48",
            "licence": "Public",
            "url": "https://www.openml.org/data/v1/download/41/glass.arff",
            "file_id": "41",
            "default_target_attribute": self.default_target,
            "status": "active",
            "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest(),
        }
        return {key: value for key, value in description.items() if value is not None}

    def _features(self) -> list[dict[str, object]]:
        kinds = {"RI": "numeric", "colour": "nominal", "Type": "nominal"}
        return [
            {
                "index": str(index),
                "name": name,
                "data_type": kind,
                "is_target": str(name == self.default_target).lower(),
                "is_ignore": "false",
                "is_row_identifier": "false",
                "number_of_missing_values": "0" if name == "Type" else "1",
            }
            for index, (name, kind) in enumerate(kinds.items())
        ]

    def _qualities(self) -> list[dict[str, str]]:
        return [{"name": "NumberOfInstances", "value": "3.0"}, {"name": "NumberOfFeatures", "value": "3.0"}]


def write_tables(folder: Path) -> Path:
    """A folder with two datasets and a file that is none."""
    folder.mkdir()
    pd.DataFrame({"age": [20.5, 30.0], "target": [0, 1]}).to_csv(folder / "patients.csv", index=False)
    pd.DataFrame({"width": [1, 2, 3], "target": ["a", "b", "a"]}).to_csv(folder / "flowers.csv", index=False)
    (folder / "README.md").write_text("not a dataset", encoding="utf-8")
    return folder
