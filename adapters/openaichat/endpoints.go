package openaichat

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/openaimodels"
)

// endpoints are what the SDKs call, whose base URL is written with and without the version.
var endpoints = slices.Concat([]hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "POST", Path: "/chat/completions", Operation: hub.OpRun},
	{Method: "POST", Path: "/v1/chat/completions", Operation: hub.OpRun},
}, openaimodels.Endpoints)
