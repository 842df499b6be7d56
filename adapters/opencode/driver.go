package opencode

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/oneturn"
)

// processes runs opencode run for each turn, with the prompt on its standard input.
var processes = hub.Processes{
	NewDriver: func(*hub.Session) hub.Driver { return &oneturn.Driver{Read: new(reader).receive} },
	OneTurn:   true,
	ExitEnds:  true,
	Arguments: func(s *hub.Session) []string { return s.Flags("--session") },
	Programs:  []hub.Program{{Name: []string{"opencode", "run"}, Args: []string{"--format", "json"}, Env: []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME"}}},
}

// reader reads the lines of one process.
type reader struct{ named bool }

// receive finds the id of the session, which the first line names, and the error that ends the turn. An end without one is no line.
func (r *reader) receive(line []byte) (in hub.Received) {
	id := rawjson.Text(line, "sessionID")
	if len(id) == 0 {
		return in
	}
	if !r.named {
		r.named, in.Session = true, id
	}
	if string(rawjson.Text(line, "type")) == "error" {
		in.Turn = hub.TurnOver
	}
	return in
}
