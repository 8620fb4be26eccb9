"""Print the JSON Schema of survey.toml; `make schemas` writes it where it is published."""

import json

from geopriv.surveys.schema import json_schema

print(json.dumps(json_schema(), indent=1, ensure_ascii=False))
