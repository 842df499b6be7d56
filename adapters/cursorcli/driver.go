package cursorcli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/oneturn"
)

// processes runs the agent for each turn, with the prompt on its standard input.
var processes = hub.Processes{
	NewDriver: func(*hub.Session) hub.Driver { return &oneturn.Driver{Read: receive} },
	OneTurn:   true,
	Arguments: func(s *hub.Session) []string { return s.Flags("--resume") },
	Programs: []hub.Program{{
		Name: []string{"cursor-agent"}, Args: []string{"-p", "--output-format", "stream-json", "--stream-partial-output", "--trust"},
		Env: []string{"CURSOR_API_KEY"},
	}},
}

// receive finds the id of the session, and the end of the turn. The echo of the prompt is hidden.
func receive(line []byte) (in hub.Received) {
	switch string(rawjson.Text(line, "type")) {
	case "system":
		if string(rawjson.Text(line, "subtype")) == "init" {
			in.Session = rawjson.Text(line, "session_id")
		}
	case "user":
		in.Hidden = true
	case "result":
		in.Turn = hub.TurnOver
	}
	return in
}
