package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"
)

// oneTurn is an agent that prints as codex exec --json or the Gemini CLI does. It keeps sessions as files with a byte for each turn.
type oneTurn struct{ codex bool }

func runOneTurnAgent(dialect string) {
	said, _ := io.ReadAll(os.Stdin)
	a := oneTurn{dialect == "codex-cli"}
	id := fmt.Sprintf("s%d", os.Getpid())
	for i, arg := range os.Args {
		if arg == "resume" {
			id = os.Args[i+2]
		} else if named, ok := strings.CutPrefix(arg, "--resume="); ok {
			id = named
		}
	}
	turns, err := os.ReadFile(id)
	if err != nil && id != fmt.Sprintf("s%d", os.Getpid()) {
		panic("there is no such session") // the Gemini CLI says nothing on its standard output either
	}
	turns = append(turns, 'x')
	a.line(map[bool]string{true: `{"type":"thread.started","thread_id":%q}`, false: `{"type":"init","session_id":%q,"model":"m"}`}[a.codex], id)
	a.turn(id, turns, string(said))
}

func (a oneTurn) line(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

func (a oneTurn) say(text string) {
	quoted, _ := json.Marshal(text)
	if a.codex {
		a.line(`{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":%s}}`, quoted)
		return
	}
	a.line(`{"type":"message","role":"assistant","content":%s,"delta":true}`, quoted)
}

func (a oneTurn) end() {
	a.line(map[bool]string{
		true: `{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}`, false: `{"type":"result","status":"success","stats":{}}`,
	}[a.codex])
}

func (a oneTurn) turn(id string, turns []byte, said string) {
	if !a.codex {
		quoted, _ := json.Marshal(said)
		a.line(`{"type":"message","role":"user","content":%s}`, quoted)
	}
	keep := func() { _ = os.WriteFile(id, turns, 0o600) }
	switch {
	case strings.HasSuffix(said, "die"):
		return // with success, but without the end of the turn
	case strings.HasSuffix(said, "slow"):
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		a.say("waiting")
		<-interrupted
		keep()
		_ = os.WriteFile("interrupted", nil, 0o600)
		return
	case strings.HasSuffix(said, "fail"):
		keep()
		a.line(map[bool]string{
			true: `{"type":"turn.failed","error":{"message":"refused"}}`, false: `{"type":"result","status":"error","error":{"type":"E","message":"refused"}}`,
		}[a.codex])
		panic("refused")
	case strings.HasSuffix(said, "late"): // it writes the session down when it has said everything
		a.say("late")
		a.end()
		time.Sleep(200 * time.Millisecond)
		keep()
		panic("late") // the status says nothing
	}
	a.say(fmt.Sprintf("Turn %d: you said %s", len(turns), said))
	keep()
	a.end()
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
  coder: {command: [%q], dialect: %s, process: {dir: %q, set_env: {%s: %s}%s}}
routes: [{path: /run, upstream: coder, client: %s, errors: {expose: true}}]
`, program, dialect, dir, scriptedAgent, dialect, more, client)
}

func eachOneTurn(t *testing.T, test func(t *testing.T, dialect string)) {
	for _, dialect := range []string{"codex-cli", "gemini-cli"} {
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
