"""The API server of Google's Agent Development Kit with a scripted agent, to talk with.

    python server.py PORT

GET /notes says whose answers were given up, and what was deleted.
"""

import sys
from pathlib import Path

import uvicorn
from google.adk.cli.fast_api import get_fast_api_app

here = Path(__file__).parent
sys.path.insert(0, str(here.parent))
from script import notes  # noqa: E402

app = get_fast_api_app(
    agents_dir=str(here / "apps"), web=False,
    session_service_uri="memory://", artifact_service_uri="memory://", memory_service_uri="memory://",
)
app.add_api_route("/notes", lambda: notes)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
