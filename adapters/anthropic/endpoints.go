package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endpoints are what the SDKs call. Tokens are not counted: only the agent's model could.
var endpoints = []hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "POST", Path: "/v1/messages", Operation: hub.OpRun},
	{Method: "GET", Path: "/v1/models", Operation: hub.OpModels},
	{Method: "GET", Path: "/v1/models/{model}", Operation: hub.OpModel},
}

// appendReply appends the list of models, or one.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	switch op {
	case hub.OpModels:
		w.Open('{')
		w.OpenAt("data", '[')
		for _, m := range a.Models {
			appendModel(w, m)
		}
		w.Close(']')
		w.Bool("has_more", false)
		w.Text("first_id", rawjson.AppendEscaped(nil, []byte(a.Models[0])))
		w.Text("last_id", rawjson.AppendEscaped(nil, []byte(a.Models[len(a.Models)-1])))
		w.Close('}')
	case hub.OpModel:
		appendModel(w, a.Model)
	}
	return w.Buf
}

func appendModel(w *jsonwriter.Writer, name string) {
	id := rawjson.AppendEscaped(nil, []byte(name))
	w.Open('{')
	w.Const("type", "model")
	w.Text("id", id)
	w.Text("display_name", id)
	w.Const("created_at", "1970-01-01T00:00:00Z")
	w.Close('}')
}
