package history

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Each calls f with every element of a list.
func Each(list rawjson.Value, f func(rawjson.Value)) {
	for v := range rawjson.Each(list) {
		f(v)
	}
}

// Args returns the arguments of a call that a request tells as a text.
func Args(text []byte) rawjson.Value {
	value, ok := rawjson.ValueOfText(make([]byte, 0, len(text)), text)
	if !ok {
		return nil
	}
	return value
}

// ReadArgs reads the arguments of a call where a text that holds JSON is usual. Some clients say the JSON itself.
func ReadArgs(v rawjson.Value) (text []byte, value rawjson.Value) {
	if text, ok := rawjson.Str(v); ok {
		return text, Args(text)
	}
	return nil, rawjson.NotNull(v)
}

// AddFunctions adds a list of calls as the Chat API has it, [{"id","function":{"name","arguments"}}].
func AddFunctions(h *hub.History, list rawjson.Value, message []byte, clientRuns func(name []byte) bool) {
	Each(list, func(v rawjson.Value) {
		name := rawjson.Text(v, "function", "name")
		_, args := ReadArgs(rawjson.Get(v, "function", "arguments"))
		h.Add(hub.PastCall{
			ID: rawjson.Text(v, "id"), Name: name, Args: args, Msg: message, ClientRuns: clientRuns(name),
		})
	})
}

// Always says of every tool that the client runs it: the clients of model APIs run them all.
func Always([]byte) bool { return true }
