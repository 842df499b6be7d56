//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/config"
)

// codexStandIn answers as codex exec does, if it is called as that has to be.
const codexStandIn = `#!/bin/sh
[ "$1 $2 $3" = "exec --json --skip-git-repo-check" ] || { echo "called as $*" >&2; exit 9; }
cat > /dev/null
echo '{"type":"thread.started","thread_id":"11111111-2222-4333-8444-555555555555"}'
echo '{"type":"turn.started"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Ahoy from '"$PWD $CODEX_API_KEY $OTHER_KEY $MORE_KEY"'."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}'
`

// A program that is known needs no more than its name. It works where it was started, and sees of the environment what is its own.
func TestProxyProgram(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("CODEX_API_KEY", "own")
	t.Setenv("OTHER_KEY", "another's")
	codex := filepath.Join(dir, "codex")
	writeProgram(t, codex, codexStandIn)
	t.Setenv("MORE_KEY", "more")
	_, said := proxying(t, "--client", "agui", "--env", "MORE_KEY", "--", codex, "exec")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if status, body := pasted(t, said); status != 200 || !strings.Contains(body, "Ahoy from "+here+" own  more.") || !strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("status %d\n%s\nbehind\n%s", status, body, said)
	}
}

// What a program speaks is said by its name, or by a flag, and what it is called with stays as it is said.
func TestProxyPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	f := func(dialect, command string, args ...string) {
		t.Helper()
		got := sabir(t, "", append([]string{"proxy", "--print", "--client", "aisdk"}, args...)...)
		got.want(t, exitOK, anything, "")
		cfg, err := config.Parse("sabir.yaml", []byte(got.stdout), new(catalog), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, got.stdout)
		}
		here, _ := os.Getwd()
		if up := cfg.Upstreams["agent"]; up.Dialect != dialect || strings.Join(up.Command, " ") != command || up.Process.Dir != here {
			t.Errorf("%v: got %s %q in %s", args, up.Dialect, up.Command, up.Process.Dir)
		}
	}
	f("gemini-cli", "gemini --output-format stream-json --skip-trust", "--", "gemini")
	f("acp", "gemini --acp", "--", "gemini", "--acp")
	f("acp", "/opt/bin/gemini --yolo --acp", "--", "/opt/bin/gemini", "--yolo", "--acp")
	f("acp", "copilot --acp", "--", "copilot", "--acp")
	f("copilot", "copilot --headless --stdio --no-auto-update", "--", "copilot")
	f("copilot", "copilot --log-level none --headless --stdio --no-auto-update", "--", "copilot", "--log-level", "none")
	f("codex-app-server", "codex app-server", "--", "codex", "app-server")
	const rest = " --output-format stream-json --verbose --input-format stream-json --include-partial-messages --permission-prompt-tool stdio"
	f("claude-cli", "claude -p"+rest, "--", "claude", "-p")
	f("claude-cli", "claude --model opus -p"+rest, "--", "claude", "--model", "opus")
	f("claude-cli", "claude -p --output-format=stream-json", "--", "claude", "-p", "--output-format=stream-json")
	f("cursor-cli", "cursor-agent --force -p --output-format stream-json --stream-partial-output --trust", "--", "cursor-agent", "--force")
	f("codex-cli", "codex exec --json", "--", "codex", "exec", "--json")
	f("acp", "claude --acp", "--from", "acp", "--", "claude", "--acp")
	f("acp", "my-agent --key ${KEY} [x]", "--from", "acp", "--", "my-agent", "--key", "${KEY}", "[x]")

	refused := func(want string, args ...string) {
		t.Helper()
		sabir(t, "", append([]string{"proxy", "--print", "--client", "aisdk"}, args...)...).want(t, exitUsage, "", want)
	}
	refused("--from is missing: my-agent is no program of which it is known what it speaks; one of acp, claude-cli, ", "--", "my-agent")
	refused("opencode is known as opencode acp and as opencode run; call it so, or say with --from", "--", "opencode")
	sabir(t, "", "proxy", "--client", "aisdk", "--listen", "127.0.0.1:0", "--", "no-such-dir/claude").want(t, exitUsage, "", "the program behind --: ")
	refused("the agent is either a server (--to) or a program (claude behind --)", "--to", "http://127.0.0.1:1/", "--", "claude")
	refused("http://127.0.0.1:1/ is no argument of its own: --to http://127.0.0.1:1/", "http://127.0.0.1:1/")
	refused("an agent that is a program stands behind two dashes: -- claude", "claude")
	refused("the program behind --: agents of agui cannot be run as processes", "--from", "agui", "--", "my-agent")
	refused("--env is for an agent that is a program", "--to", "http://127.0.0.1:1/", "--from", "agui", "--env", "KEY")
	refused("--env: ", "--env", "A=b", "--", "claude")
	refused("--request: has no meaning with command", "--request", `{"a":"$input"}`, "--", "claude")
}

// A configuration for a program is written as for a server.
func TestInitProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	sabir(t, "", "init", "--client", "aisdk", "--", "claude").want(t, exitOK, "is written", "")
	sabir(t, "", "check").want(t, exitOK, "is fine", "")
}

// Who is asked where the agent is can name a program that is there. What it speaks is asked only where that is not known.
func TestInitAsksOfProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, name := range []string{"codex", "my-agent"} {
		writeProgram(t, filepath.Join(dir, name), codexStandIn)
	}
	f := func(answers, said string, want ...string) {
		t.Helper()
		o, out := oneRoute{client: "agui"}, new(strings.Builder)
		err := o.ask(t.Context(), strings.NewReader(answers), out)
		if err != nil || o.to != "" || o.from != want[0] || strings.Join(o.command, " ") != want[1] || !strings.Contains(out.String(), said) {
			t.Errorf("%q: %v, got %+v\n%s", answers, err, o, out)
		}
	}
	f("codex app-server\n", "or a program)", "codex-app-server", "codex app-server")
	f("my-agent --stdio\nagui\n\n", "agents of agui cannot be run as processes", "acp", "my-agent --stdio")
	f("codex\ncodex-cli\n", "What does your program speak? (acp, claude-cli, ", "codex-cli", "codex")
}

// The page about programs says how each of those that are known is called.
func TestProgramsInDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/programs.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, d := range adapters.All() {
		if d.Processes == nil {
			continue
		}
		for _, p := range d.Processes.Programs {
			n++
			for _, word := range p.Complete(p.Name) {
				if !strings.Contains(string(page), word) {
					t.Errorf("%s: %s is called with %s", d.Name, strings.Join(p.Name, " "), word)
				}
			}
		}
	}
	if n < 8 {
		t.Errorf("%d programs are known", n)
	}
}
