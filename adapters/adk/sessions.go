package adk

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
)

// sessions are those of adk api_server. They must be opened before a run.
var sessions = hub.SessionServer{
	RunPaths: []string{"/run_sse", "/run"},
	Always:   true,
	Run:      func(*hub.Request) []string { return []string{"run_sse"} },
	Open:     openSession,
	Exists:   []int{409},
	Delete: func(req *hub.Request) hub.SessionCall {
		return hub.SessionCall{Method: "DELETE", Path: append(sessionsOf(req), plain(req.Session))}
	},
	Unknown: []int{404},
}

// sessionsOf is the path of the sessions of a user.
func sessionsOf(req *hub.Request) []string {
	app, user := rawjson.Or(req.Model, defaultApp), rawjson.Or(req.Settings.User, defaultUser)
	return []string{"apps", plain(app), "users", plain(user), "sessions"}
}

// openSession opens a session that begins with what was said before, as the events that it would have had.
func openSession(req *hub.Request, l *hub.Losses) hub.SessionCall {
	app := plain(rawjson.Or(req.Model, defaultApp))
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Text("sessionId", req.Session)
	if before := past(req); len(before) > 0 {
		w.Key("events")
		w.Append(func(dst []byte) []byte { return formOf(req, app).AppendMessages(dst, before, l) })
	}
	w.Close('}')
	return hub.SessionCall{Method: "POST", Path: sessionsOf(req), Body: w.Buf}
}

// formOf writes what the agent has said under its own name: what others have said reaches it as text.
func formOf(req *hub.Request, app string) replay.Form {
	form := replay.FormOf[atRest]()
	d := *form.Dialect
	plainEncoder, name := d.NewEncoder, req.Upstream.TextOr("root_agent", app)
	d.NewEncoder = func(hub.Options) hub.Encoder {
		o, _ := d.ParseOptions(map[string]any{"agent": name}) // any text is one
		return plainEncoder(o)
	}
	form.Dialect = &d
	return form
}

// past is the conversation before what is new. A result that the run brings is left out. No call is one that waits: servers refuse to
// open sessions with such.
func past(req *hub.Request) []hub.Message {
	if req.Partial {
		return nil
	}
	returned := map[string]bool{}
	for _, p := range conversation.Returned(req) {
		returned[string(p.ID)] = true
	}
	before, _ := conversation.SplitInput(req.Messages)
	_, before = conversation.Leading(before) // the agent has instructions of its own
	before = slices.Clone(before)
	for i := range before {
		m := &before[i]
		m.Parts = slices.Clone(m.Parts)
		for j := range m.Parts {
			p := &m.Parts[j]
			if p.ClientRuns = false; p.Kind == hub.PartCall && returned[string(p.ID)] {
				p.Result = nil
			}
		}
	}
	return before
}

func plain(body []byte) string { return string(rawjson.AppendUnescaped(nil, body)) }
