package gemini

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endpoints are what the SDKs call, each with its own version of the API. The model stands in the path.
var endpoints = slices.Concat(
	[]hub.Endpoint{{Method: "POST", Operation: hub.OpRun}},
	endpointsOf(""), endpointsOf("/v1"), endpointsOf("/v1beta"), endpointsOf("/v1alpha"),
)

func endpointsOf(version string) []hub.Endpoint {
	return []hub.Endpoint{
		{Method: "POST", Path: version + "/models/{model}:streamGenerateContent", Operation: hub.OpRun},
		{Method: "POST", Path: version + "/models/{model}:generateContent", Operation: hub.OpWhole},
		{Method: "GET", Path: version + "/models", Operation: hub.OpModels},
		{Method: "GET", Path: version + "/models/{model}", Operation: hub.OpModel},
	}
}

// appendReply appends the list of models, or one.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	switch op {
	case hub.OpModels:
		w.Open('{')
		w.OpenAt("models", '[')
		for _, m := range a.Models {
			appendModel(w, m)
		}
		w.Close(']')
		w.Close('}')
	case hub.OpModel:
		appendModel(w, a.Model)
	}
	return w.Buf
}

func appendModel(w *jsonwriter.Writer, name string) {
	w.Open('{')
	w.Text("name", rawjson.AppendEscaped([]byte("models/"), []byte(name)))
	w.Text("displayName", rawjson.AppendEscaped(nil, []byte(name)))
	w.Value("supportedGenerationMethods", []byte(`["generateContent","streamGenerateContent"]`))
	w.Close('}')
}
