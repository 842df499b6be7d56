package openairesponses

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/openaimodels"
)

// endpoints are what the SDKs call, whose base URL is written with and without the version. GET is the handshake of the
// WebSocket.
var endpoints = slices.Concat([]hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "POST", Path: "/responses", Operation: hub.OpRun},
	{Method: "POST", Path: "/v1/responses", Operation: hub.OpRun},
	{Method: "GET", Path: "/responses", Operation: hub.OpRun},
	{Method: "GET", Path: "/v1/responses", Operation: hub.OpRun},
}, openaimodels.Endpoints)
