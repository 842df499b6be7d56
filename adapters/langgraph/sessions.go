package langgraph

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// sessions are the threads of a server. A run opens its thread itself, so that there is none without what was said before; and it is
// asked for as one in a thread that is there, which costs a second request only where the server does not know it.
var sessions = hub.SessionServer{
	RunPaths:  []string{"/runs/stream", "/runs/wait"},
	Stateless: true,
	Rewrites:  true,
	Run:       runPath,
	Delete: func(req *hub.Request) hub.SessionCall {
		return hub.SessionCall{Method: "DELETE", Path: []string{"threads", plain(req.Session)}}
	},
	Unknown:  []int{404},
	Busy:     []int{409},
	Cancel:   cancelRun,
	Agents:   graphs,
	Outlives: func(upstream hub.Options) bool { return upstream.EnumOr("disconnect", "cancel") == "continue" },
}

// runPath is where a run is asked for: in its thread, or for a conversation without a name in none.
func runPath(req *hub.Request) []string {
	if len(req.Session) == 0 {
		return []string{"runs", "stream"}
	}
	return []string{"threads", plain(req.Session), "runs", "stream"}
}

// cancelRun ends a run. Its id stands in the header of its answer: /threads/THREAD/runs/RUN.
func cancelRun(req *hub.Request, header func(name string) string) hub.SessionCall {
	_, run, _ := strings.Cut(header("Content-Location"), "/runs/")
	run, _, _ = strings.Cut(run, "/")
	if len(req.Session) == 0 || run == "" {
		return hub.SessionCall{}
	}
	return hub.SessionCall{Method: "POST", Path: []string{"threads", plain(req.Session), "runs", run, "cancel"}}
}

// graphs are those that a server names where it has none of the name of a run: "Invalid assistant: 'agent'. Must be either:\n- A valid
// assistant UUID, or\n- One of the registered graphs: first, second".
func graphs(refusal []byte) []string {
	why := plain(rawjson.Text(refusal, "detail"))
	_, names, ok := strings.Cut(why, "registered graphs: ")
	if !ok || !strings.HasPrefix(why, "Invalid assistant") {
		return nil
	}
	return strings.Split(strings.TrimSpace(names), ", ")
}

func plain(body []byte) string { return string(rawjson.AppendUnescaped(nil, body)) }
