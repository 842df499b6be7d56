// Package openaimodels writes the list of models of OpenAI's APIs.
package openaimodels

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Endpoints are those of the list, below the URL with and without a version.
var Endpoints = []hub.Endpoint{
	{Method: "GET", Path: "/models", Operation: hub.OpModels},
	{Method: "GET", Path: "/v1/models", Operation: hub.OpModels},
	{Method: "GET", Path: "/models/{model}", Operation: hub.OpModel},
	{Method: "GET", Path: "/v1/models/{model}", Operation: hub.OpModel},
}

// AppendReply appends the list, or one model.
func AppendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	switch op {
	case hub.OpModels:
		appendModels(w, a.Models)
	case hub.OpModel:
		appendModel(w, a.Model)
	}
	return w.Buf
}

func appendModels(w *jsonwriter.Writer, names []string) {
	w.Open('{')
	w.Const("object", "list")
	w.OpenAt("data", '[')
	for _, m := range names {
		appendModel(w, m)
	}
	w.Close(']')
	w.Close('}')
}

func appendModel(w *jsonwriter.Writer, name string) {
	w.Open('{')
	w.Text("id", rawjson.AppendEscaped(nil, []byte(name)))
	w.Const("object", "model")
	w.Value("created", []byte("0"))
	w.Const("owned_by", "sabir")
	w.Close('}')
}
