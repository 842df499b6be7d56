package geminiinteractions

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// background is how agents of the API are asked that take long. The API begins such interactions by a request without a stream, and has their
// stream by their id.
var background = hub.BackgroundServer{
	Wants:  func(upstream hub.Options) bool { return upstream.BoolOr(optionBackground, false) },
	Follow: follow,
}

// follow reads an interaction that was begun. One that has ended is asked for whole, as there is nothing more to come.
func follow(answer []byte) (read, cancel hub.SessionCall, err error) {
	var json rawjson.Decoder
	var in struct {
		ID     rawjson.Value `json:"id"`
		Status rawjson.Value `json:"status"`
	}
	if err := json.Decode(answer, &in); err != nil {
		return read, cancel, hub.JSONError(err)
	}
	id := string(rawjson.AppendUnescaped(nil, rawjson.Body(in.ID)))
	if id == "" {
		return read, cancel, hub.NewError(hub.ReasonMissing, "id", -1, "want the id of the interaction that was begun")
	}
	read = hub.SessionCall{Method: "GET", Path: []string{id}}
	if stateOf(nil, in.Status) == nil {
		read.Query = "stream=true"
	}
	return read, hub.SessionCall{Method: "POST", Path: []string{id, "cancel"}}, nil
}
