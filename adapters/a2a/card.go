package a2a

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Bindings as cards name them.
const (
	bindingRPC  = "JSONRPC"
	bindingREST = "HTTP+JSON"
)

// appendCard appends one card that clients of both versions read: those of 1.0 look for supportedInterfaces, those of 0.3 for url.
func appendCard(dst []byte, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	url, name, description := escaped(a.URL), escaped(a.Name), escaped(a.Description)
	w.Open('{')
	w.Text("name", name)
	w.Text("description", description)
	w.Const("version", "1.0.0")
	appendInterfaces(w, "supportedInterfaces", "protocolBinding", url, version1)
	w.Const("protocolVersion", "0.3.0")
	w.Text("url", url)
	w.Const("preferredTransport", bindingRPC)
	appendInterfaces(w, "additionalInterfaces", "transport", url, "")
	w.OpenAt("capabilities", '{')
	w.Bool("streaming", true)
	w.Bool("pushNotifications", false)
	w.Close('}')
	for _, modes := range []string{"defaultInputModes", "defaultOutputModes"} {
		w.Value(modes, []byte(`["text/plain"]`))
	}
	w.OpenAt("skills", '[')
	w.Open('{')
	w.Text("id", name)
	w.Text("name", name)
	w.Text("description", description)
	w.Value("tags", []byte("[]"))
	w.Close('}')
	w.Close(']')
	w.Close('}')
	return w.Buf
}

// appendInterfaces lists the bindings, which share one URL: those of REST are called below it.
func appendInterfaces(w *jsonwriter.Writer, list, binding string, url []byte, version string) {
	w.OpenAt(list, '[')
	for _, name := range []string{bindingRPC, bindingREST} {
		w.Open('{')
		w.Text("url", url)
		w.Const(binding, name)
		if version != "" {
			w.Const("protocolVersion", version)
		}
		w.Close('}')
	}
	w.Close(']')
}

func escaped(text string) []byte { return rawjson.AppendEscaped(nil, []byte(text)) }
