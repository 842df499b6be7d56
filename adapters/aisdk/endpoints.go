package aisdk

import "github.com/sabir-proxy/sabir/adapters/hub"

// endpoints are what a chat calls: for a turn, and for the rest of a stream that it has lost.
var endpoints = []hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "GET", Path: "/{thread}/stream", Operation: hub.OpJoin},
}
