// Package finish reads why a model stopped, in the words of the AI SDK, which frameworks built on it say as well.
package finish

import "github.com/sabir-proxy/sabir/adapters/hub"

// Status is what a finishReason means. Those that are new are a good end.
func Status(reason []byte) hub.Status {
	switch string(reason) {
	case "length":
		return hub.StatusLength
	case "content-filter":
		return hub.StatusFiltered
	case "error":
		return hub.StatusFailed
	case Tools:
		return hub.StatusTools
	}
	return hub.StatusDone
}

// Tools says that the model has called tools, whoever runs them.
const Tools = "tool-calls"
