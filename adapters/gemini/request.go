package gemini

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body of generateContent. The model stands in the path.
type requests struct{ hub.PassThrough }

// DecodeRequest takes the calls of the history and the tools. Calls without an id cannot be told apart, and are left out.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var asked struct {
		Contents rawjson.Value `json:"contents"`
		Tools    rawjson.Value `json:"tools"`
	}
	if err := json.Decode(body, &asked); err != nil {
		return hub.JSONError(err)
	}
	req.Body = body
	req.Tools.Known = true // nothing else tells the model of a tool
	history.Each(asked.Tools, func(tool rawjson.Value) {
		for _, list := range []string{"functionDeclarations", "function_declarations"} {
			history.Each(rawjson.Get(tool, list), func(f rawjson.Value) { req.Tools.Add(rawjson.Text(f, "name")) })
		}
	})
	history.Each(asked.Contents, func(content rawjson.Value) {
		history.Each(rawjson.Get(content, "parts"), func(part rawjson.Value) { addPart(&req.History, part) })
	})
	return nil
}

// addPart adds a call, or the result of one.
func addPart(h *hub.History, part rawjson.Value) {
	if call := rawjson.Get(part, "functionCall"); call != nil {
		h.Add(hub.PastCall{
			ID: rawjson.Text(call, "id"), Name: rawjson.Text(call, "name"), Args: rawjson.NotNull(rawjson.Get(call, "args")), ClientRuns: true,
		})
	}
	h.Answer(rawjson.Text(part, "functionResponse", "id"))
}
