"""Print the JSON Schema of survey.toml:  python -m geopriv.survey > docs/schemas/survey.schema.json."""

import json

from geopriv.survey.schema import json_schema

print(json.dumps(json_schema(), indent=1, ensure_ascii=False))
