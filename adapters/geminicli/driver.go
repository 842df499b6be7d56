package geminicli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/oneturn"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// longest is how much of its standard input the CLI reads; it drops the rest.
const longest = 8 << 20

// processes runs gemini for each turn, with the prompt on its standard input.
var processes = hub.Processes{
	NewDriver: func(*hub.Session) hub.Driver { return &oneturn.Driver{Read: receive, Longest: longest} },
	OneTurn:   true,
	Arguments: func(s *hub.Session) []string { return s.Flags("--resume") },
	Programs: []hub.Program{{
		Name: []string{"gemini"}, Args: []string{"--output-format", "stream-json", "--skip-trust"}, Env: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT"},
	}},
}

// receive finds the id of the session, and the end of the turn. The echo of the prompt is hidden.
func receive(line []byte) (in hub.Received) {
	switch string(rawjson.Tag(line, `{"type":"`)) {
	case "init":
		in.Session = rawjson.Text(line, "session_id")
	case "message":
		in.Hidden = string(rawjson.Text(line, "role")) == "user"
	}
	if observe(wire.Record{Data: line}) == hub.ObservedEnd {
		in.Turn = hub.TurnOver
	}
	return in
}
