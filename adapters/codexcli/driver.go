package codexcli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/oneturn"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// processes runs codex exec for each turn, with the prompt on its standard input.
var processes = hub.Processes{
	NewDriver: func(*hub.Session) hub.Driver { return &oneturn.Driver{Read: receive} },
	OneTurn:   true,
	Arguments: arguments,
	Programs: []hub.Program{{
		Name: []string{"codex", "exec"}, Args: []string{"--json", "--skip-git-repo-check"}, Env: []string{"CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY"},
	}},
}

// receive finds the id of the thread, and the end of the turn.
func receive(line []byte) (in hub.Received) {
	switch {
	case string(rawjson.Tag(line, `{"type":"`)) == "thread.started":
		in.Session = rawjson.Text(line, "thread_id")
	case observe(wire.Record{Data: line}) == hub.ObservedEnd:
		in.Turn = hub.TurnOver
	}
	return in
}

// arguments choose a model, and name the thread to go on with. What they name stands where it cannot be taken for an option.
func arguments(s *hub.Session) (args []string) {
	if len(s.Model) > 0 {
		args = append(args, "--model="+string(rawjson.AppendUnescaped(nil, s.Model)))
	}
	if len(s.ID) > 0 {
		args = append(args, "resume", "--", string(rawjson.AppendUnescaped(nil, s.ID)))
	}
	return append(args, "-")
}
