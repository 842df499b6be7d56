package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"testing"
	"time"
)

// oneTurn is an agent that prints as a program does which holds one turn: the lines that it has for each occasion, with $S for the
// session and %s for a text. It keeps sessions as files with a byte for each turn.
type oneTurn struct {
	id                          string
	start, echo, say, fail, end string
	exits                       bool // its turn ends with the process, whose status counts
}

var oneTurns = map[string]oneTurn{
	"codex-cli": {
		start: `{"type":"thread.started","thread_id":"$S"}`,
		say:   `{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":%s}}`,
		fail:  `{"type":"turn.failed","error":{"message":%s}}`,
		end:   `{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}`,
	},
	"cursor-cli": {
		start: `{"type":"system","subtype":"init","session_id":"$S","model":"m"}`,
		echo:  `{"type":"user","message":{"role":"user","content":[{"type":"text","text":%s}]},"session_id":"$S"}`,
		say:   `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":%s}]},"session_id":"$S","timestamp_ms":1}`,
		fail:  `{"type":"result","subtype":"error","is_error":true,"result":%s,"session_id":"$S"}`,
		end:   `{"type":"result","subtype":"success","is_error":false,"result":"","session_id":"$S"}`,
	},
	"gemini-cli": {
		start: `{"type":"init","session_id":"$S","model":"m"}`,
		echo:  `{"type":"message","role":"user","content":%s}`,
		say:   `{"type":"message","role":"assistant","content":%s,"delta":true}`,
		fail:  `{"type":"result","status":"error","error":{"type":"E","message":%s}}`,
		end:   `{"type":"result","status":"success","stats":{}}`,
	},
	"opencode": {
		start: `{"type":"step_start","sessionID":"$S","part":{"id":"p1","messageID":"m1","type":"step-start"}}`,
		say:   `{"type":"text","sessionID":"$S","part":{"id":"p2","messageID":"m1","type":"text","text":%s,"time":{"start":1,"end":2}}}`,
		fail:  `{"type":"error","sessionID":"$S","error":{"name":"E","data":{"message":%s}}}`,
		end:   `{"type":"step_finish","sessionID":"$S","part":{"id":"p3","messageID":"m1","type":"step-finish","reason":"stop","tokens":{"input":1,"output":1}}}`,
		exits: true,
	},
}

func runOneTurnAgent(dialect string) {
	said, _ := io.ReadAll(os.Stdin)
	a := oneTurns[dialect]
	own := fmt.Sprintf("s%d", os.Getpid())
	a.id = own
	for i, arg := range os.Args {
		if arg == "resume" {
			a.id = os.Args[i+2]
		}
		for _, option := range []string{"--resume=", "--session="} {
			if named, ok := strings.CutPrefix(arg, option); ok {
				a.id = named
			}
		}
	}
	turns, err := os.ReadFile(a.id)
	if err != nil && a.id != own {
		panic("there is no such session") // the Gemini CLI and OpenCode say nothing on their standard output either
	}
	a.line(a.start, "")
	a.turn(append(turns, 'x'), string(said))
}

func (a *oneTurn) line(format, text string) {
	quoted, _ := json.Marshal(text)
	fmt.Fprintln(os.Stdout, strings.NewReplacer("$S", a.id, "%s", string(quoted)).Replace(format))
}

func (a *oneTurn) turn(turns []byte, said string) {
	if a.echo != "" {
		a.line(a.echo, said)
	}
	keep := func() { _ = os.WriteFile(a.id, turns, 0o600) }
	switch {
	case strings.HasSuffix(said, "die"):
		return // with success, but without the end of the turn
	case strings.HasSuffix(said, "slow"):
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		a.line(a.say, "waiting")
		<-interrupted
		keep()
		_ = os.WriteFile("interrupted", nil, 0o600)
		return
	case strings.HasSuffix(said, "fail"):
		keep()
		a.line(a.fail, "refused")
		panic("refused")
	case strings.HasSuffix(said, "late"): // it writes the session down when it has said everything
		a.line(a.say, "late")
		a.line(a.end, "")
		time.Sleep(200 * time.Millisecond)
		keep()
		if a.exits {
			return
		}
		panic("late") // the status says nothing
	case strings.HasSuffix(said, "exit badly"), strings.HasSuffix(said, "be killed"):
		a.line(a.say, "all is well")
		a.line(a.end, "")
		if strings.HasSuffix(said, "be killed") {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			time.Sleep(time.Minute)
		}
		panic("another status than 0")
	case strings.HasSuffix(said, "tools"): // and no step behind them
		a.line(strings.Replace(a.end, "stop", "tool-calls", 1), "")
		return
	}
	a.line(a.say, fmt.Sprintf("Turn %d: you said %s", len(turns), said))
	keep()
	a.line(a.end, "")
}

// oneTurnConfig is a route to such an agent.
func oneTurnConfig(t *testing.T, dialect, client, dir, more string) string {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`
listen: 127.0.0.1:0
upstreams:
  coder: {command: [%q], dialect: %s, process: {dir: %q, set_env: {%s: %s, `+exitAtOnce+`}%s}}
routes: [{path: /run, upstream: coder, client: %s, errors: {expose: true}}]
`, program, dialect, dir, scriptedAgent, dialect, more, client)
}

func eachOneTurn(t *testing.T, test func(t *testing.T, dialect string)) {
	t.Parallel()
	for _, dialect := range slices.Sorted(maps.Keys(oneTurns)) {
		t.Run(dialect, func(t *testing.T) { test(t, dialect) })
	}
}

// TestOneTurn: each turn has a process of its own, which goes on with the session of the one before. The echo of the prompt is skipped.
func TestOneTurn(t *testing.T) {
	eachOneTurn(t, func(t *testing.T, dialect string) {
		r := start(t, oneTurnConfig(t, dialect, "agui", t.TempDir(), ""))
		long := strings.Repeat("long ", 40_000) // more than a pipe holds, and an argument may
		status, body := r.aguiTurn("t1", saidByUser(1, "--one"))
		wantSaid(t, status, body, "Turn 1: you said --one", `"RUN_FINISHED"`)
		status, body = r.aguiTurn("t1", saidByUser(1, "--one"), saidByAgent(1, "x"), saidByUser(2, long+"late"))
		wantSaid(t, status, body, "late", `"RUN_FINISHED"`)
		if strings.Contains(body, "long") {
			t.Error("the client hears its own words")
		}
		status, body = r.aguiTurn("t1", saidByUser(1, "--one"), saidByAgent(1, "x"), saidByUser(2, long+"late"), saidByUser(3, "two\nlines"))
		wantSaid(t, status, body, `Turn 3: you said two\nlines`, `"RUN_FINISHED"`)
		await(t, "the processes have ended", func() bool { return r.metric("sabir_processes") == 0 })
		if n := r.metric("sabir_processes_started_total"); n != 3 {
			t.Errorf("%v processes", n)
		}
		if n := r.metric("sabir_session_turns_total", "session=known"); n != 2 {
			t.Errorf("%v turns in a known session", n)
		}
	})
}

// TestOneTurnFails: the end that the agent tells counts, not the exit status, and one without an end has failed.
func TestOneTurnFails(t *testing.T) {
	eachOneTurn(t, func(t *testing.T, dialect string) {
		r := start(t, oneTurnConfig(t, dialect, "agui", t.TempDir(), ""))
		status, body := r.aguiTurn("t1", saidByUser(1, "fail"))
		wantSaid(t, status, body, `"RUN_ERROR"`, "refused")
		status, body = r.aguiTurn("t1", saidByUser(1, "fail"), saidByUser(2, "die"))
		if strings.Contains(body, "RUN_FINISHED") {
			t.Errorf("status %d, a clean end: %s", status, body)
		}
		status, body = r.aguiTurn("t1", saidByUser(1, "fail"), saidByUser(2, "die"), saidByUser(3, "on"))
		wantSaid(t, status, body, "Turn 2: you said on")
	})
}

// TestOneTurnExit: where a turn ends with its process, one that is killed, has another status than 0, or has more to say, has failed.
func TestOneTurnExit(t *testing.T) {
	r := start(t, oneTurnConfig(t, "opencode", "agui", t.TempDir(), ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1: you said one", `"RUN_FINISHED"`)
	said := []string{saidByUser(1, "one")}
	for n, words := range []string{"exit badly", "be killed", "tools"} {
		said = append(said, saidByUser(n+2, words))
		status, body = r.aguiTurn("t1", said...)
		if wantSaid(t, status, body, `"RUN_ERROR"`); strings.Contains(body, "RUN_FINISHED") {
			t.Errorf("%s: a clean end: %s", words, body)
		}
	}
	status, body = r.aguiTurn("t1", append(said, saidByUser(5, "on"))...)
	wantSaid(t, status, body, "Turn 2: you said on", `"RUN_FINISHED"`)
}

// TestOneTurnStops: a client that leaves interrupts the process, and the next turn begins when it has ended.
func TestOneTurnStops(t *testing.T) {
	eachOneTurn(t, func(t *testing.T, dialect string) {
		dir := t.TempDir()
		r := start(t, oneTurnConfig(t, dialect, "agui", dir, ""))
		r.leaveTurn("t1", saidByUser(1, "slow"))
		await(t, "the agent is interrupted", func() bool { _, err := os.Stat(dir + "/interrupted"); return err == nil })
		status, body := r.aguiTurn("t1", saidByUser(1, "slow"), saidByUser(2, "next"))
		wantSaid(t, status, body, "Turn 2: you said next")
	})
}

// TestOneTurnInstructions: those of the client have no place, in the first turn and later, which is counted.
func TestOneTurnInstructions(t *testing.T) {
	eachOneTurn(t, func(t *testing.T, dialect string) {
		r := start(t, oneTurnConfig(t, dialect, "openai-chat", t.TempDir(), ""))
		messages := `{"role":"system","content":"Be short."},{"role":"user","content":"one"}`
		for n := range 2 {
			resp, body := r.post("/run", `{"model":"m","messages":[`+messages+`]}`)
			wantSaid(t, resp.StatusCode, body, "you said one")
			if got := r.metric("sabir_request_losses_total", "field=messages.system"); got != float64(n+1) {
				t.Errorf("request %d: %v losses", n+1, got)
			}
			messages += `,{"role":"assistant","content":"Turn 1: you said one"},{"role":"user","content":"one"}`
		}
	})
}

// TestOneTurnForgotten: a session that the agent has lost is replayed to a new one.
func TestOneTurnForgotten(t *testing.T) {
	eachOneTurn(t, func(t *testing.T, dialect string) {
		dir := t.TempDir()
		r := start(t, oneTurnConfig(t, dialect, "openai-chat", dir, ""))
		ask := func(messages string) (int, string) {
			resp, body := r.post("/run", `{"model":"m","messages":[{"role":"user","content":"one"}`+messages+`]}`)
			return resp.StatusCode, body
		}
		status, body := ask("")
		wantSaid(t, status, body, "Turn 1: you said one")
		sessions, err := os.ReadDir(dir)
		if err != nil || len(sessions) != 1 {
			t.Fatal(sessions, err)
		}
		if err := os.Remove(dir + "/" + sessions[0].Name()); err != nil {
			t.Fatal(err)
		}
		const said = `,{"role":"assistant","content":"Turn 1: you said one"},{"role":"user","content":"two"}`
		if status, body = ask(said); status == http.StatusOK {
			t.Errorf("a session that is gone goes on: %s", body)
		}
		status, body = ask(said + `,{"role":"user","content":"three"}`)
		wantSaid(t, status, body, "Turn 1: you said This conversation began in another session", "User: two", "three")
	})
}

// TestOneTurnRefuses: a request without words for the prompt is refused, and the process that was started for it is ended.
func TestOneTurnRefuses(t *testing.T) {
	eachOneTurn(t, func(t *testing.T, dialect string) {
		r := start(t, oneTurnConfig(t, dialect, "aisdk", t.TempDir(), ""))
		resp, body := r.post("/run", `{"id":"t1","trigger":"submit-message","messages":[{"id":"u1","role":"user","parts":[{"type":"file","mediaType":"image/png","url":"https://example.com/a.png"}]}]}`)
		if resp.StatusCode != http.StatusUnprocessableEntity && resp.StatusCode != http.StatusBadRequest {
			t.Errorf("status %d: %s", resp.StatusCode, body)
		}
		await(t, "the process ends", func() bool { return r.metric("sabir_processes") == 0 })
		resp, body = r.post("/run", `{"id":"t1","trigger":"submit-message","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"one"}]}]}`)
		wantSaid(t, resp.StatusCode, body, "Turn 1: you said one")
	})
}
