package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Peers are what else could do the work. They come from package registries into a folder that Git ignores, and are
// started with the least that makes them work. Nothing of theirs is in this repository.

//go:embed peers
var recipes embed.FS

// peer is a program to compare with.
type peer struct {
	name     string
	from, to string // dialects: of the server, and of its clients; both empty: it passes bytes
	path     string // that clients call; empty: the one of the dialect
	model    string
	header   string
	set      string // what installs it
	version  []string
	command  func(p *place) *exec.Cmd
}

// place is what a peer is started with.
type place struct {
	dir      string // of its installation
	work     string // for files that are written for it
	port     int
	upstream string // host:port
	listen   string // the options of nginx for its listener, behind the address
}

// Sets of programs that are installed together.
const (
	debianSet = "debian"
	nodeSet   = "node"
	pythonSet = "python"
)

var allPeers = []*peer{
	{name: nginx, set: debianSet, version: []string{"nginx", "-v"}, command: startNginx},
	{
		name: "@musistudio/llms", from: "openai-chat", to: "anthropic", path: "/v1/messages", model: "up,bench", set: nodeSet,
		version: []string{"node", "-p", "JSON.parse(fs.readFileSync('node_modules/@musistudio/llms/package.json')).version"}, command: nodeScript("llms.cjs"),
	},
	{
		name: "@portkey-ai/gateway", from: "anthropic", to: "openai-chat", path: "/v1/chat/completions", model: "bench", set: nodeSet,
		version: []string{"node", "-p", "JSON.parse(fs.readFileSync('node_modules/@portkey-ai/gateway/package.json')).version"},
		command: nodeScript("node_modules/@portkey-ai/gateway/build/start-server.js"),
		header:  "x-portkey-provider: anthropic\r\nx-portkey-custom-host: http://%UPSTREAM%/v1\r\n",
	},
	{
		name: "ai (Node, in process)", from: "openai-chat", to: "aisdk", path: "/chat", model: "bench", set: nodeSet,
		version: []string{"node", "-p", "JSON.parse(fs.readFileSync('node_modules/ai/package.json')).version"}, command: nodeScript("ai.mjs"),
	},
	{
		name: "LiteLLM", from: "openai-chat", to: "openai-chat", path: "/v1/chat/completions", model: "bench", set: pythonSet,
		version: []string{"venv/bin/python", "-c", "import importlib.metadata as m; print(m.version('litellm'))"}, command: startLiteLLM,
	},
	{
		name: "LiteLLM", from: "openai-chat", to: "anthropic", path: "/v1/messages", model: "bench", set: pythonSet,
		version: []string{"venv/bin/python", "-c", "import importlib.metadata as m; print(m.version('litellm'))"}, command: startLiteLLM,
	},
	{
		name: "ag-ui (Python, in process)", from: "openai-chat", to: "agui", path: "/agent", model: "bench", set: pythonSet,
		version: []string{"venv/bin/python", "-c", "import importlib.metadata as m; print(m.version('ag-ui-protocol'), 'on uvicorn', m.version('uvicorn'))"},
		command: pythonScript("agui.py"),
	},
}

// title tells peers with two uses apart.
func (pe *peer) title() string {
	for _, other := range allPeers {
		if other != pe && other.name == pe.name {
			return pe.name + " to " + pe.to
		}
	}
	return pe.name
}

// addPeers measures each peer beside the proxy, the proxy asked by the same request.
func (p *plan) addPeers(mode string) error {
	base := cell{Mode: mode, Streams: or(p.o.streams, 64), call: call{events: or(p.o.events, 500)}, d: or(p.o.duration, brief(p, 2*time.Second, 300*time.Millisecond))}
	switch mode {
	case peersPaced:
		base = p.pacedCell(mode)
		base.Streams = or(p.o.streams, 50)
	case peersSlow:
		base = cell{Mode: mode, Streams: or(p.o.streams, 200), call: call{interval: time.Second}, d: or(p.o.duration, 5*time.Second)}
	}
	seen := map[string]bool{}
	for _, pe := range allPeers {
		if pe.from == "" {
			continue // it is beside the other modes
		}
		pr, err := newPair(pe.from, pe.to)
		if err != nil {
			return err
		}
		if !seen[pr.String()] {
			seen[pr.String()] = true
			p.add(base, sabir, pr)
		}
		p.add(base, pe.title(), pr)
	}
	return nil
}

// postFor is how a cell beside peers is asked for: the proxy by the request of the peer that does the same.
func (g *rig) postFor(c *cell) *post {
	for _, pe := range allPeers {
		if pe.from == c.From && pe.to == c.To && (c.Target == sabir || pe.title() == c.Target) {
			return &post{dialect: pe.to, model: pe.model, header: strings.ReplaceAll(pe.header, "%UPSTREAM%", g.upstream.addr)}
		}
	}
	return nil
}

func (g *rig) isAbsent(name string) bool {
	for _, text := range g.absent {
		if strings.HasPrefix(text, name+":") {
			return true
		}
	}
	return false
}

// installPeers makes ready the peers that the cells need. One that cannot be installed is noted, and that is all.
func (g *rig) installPeers(ctx context.Context, cells []*cell, progress io.Writer) error {
	failed := map[string]error{}
	done := map[string]bool{}
	for _, pe := range allPeers {
		if !slices.ContainsFunc(cells, func(c *cell) bool { return c.Target == pe.title() }) {
			continue
		}
		if !done[pe.set] {
			done[pe.set] = true
			fmt.Fprintf(progress, "installing peers: %s\n", pe.set)
			failed[pe.set] = installSet(ctx, pe.set)
		}
		err := failed[pe.set]
		var version string
		if err == nil {
			version, err = pe.findVersion(ctx)
		}
		if err != nil {
			g.absent = append(g.absent, fmt.Sprintf("%s: %v", pe.title(), err))
			continue
		}
		g.peers[pe.title()] = pe
		g.versions = append(g.versions, pe.title()+" "+version)
	}
	return ctx.Err()
}

// peersDir is where peers are installed, seen from the root of the repository.
const peersDir = "bench/.peers"

func setDir(set string) (string, error) { return filepath.Abs(filepath.Join(peersDir, set)) }

// installSet installs what is not there yet; the recipes are written anew each time.
func installSet(ctx context.Context, set string) error {
	dir, err := setDir(set)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := recipes.ReadDir("peers")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := recipes.ReadFile("peers/" + f.Name())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	script := map[string]string{
		debianSet: "command -v nginx || { apt-get update && apt-get install -y nginx-light; }",
		nodeSet:   "test -d node_modules/ai || npm install --no-audit --no-fund --ignore-scripts",
		pythonSet: "test -x venv/bin/litellm || { python3 -m venv venv && venv/bin/pip install -q -r requirements.txt; }",
	}[set]
	install := exec.CommandContext(ctx, "sh", "-c", script)
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot be installed: %w: %s", err, lastLine(out))
	}
	return nil
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

func (pe *peer) findVersion(ctx context.Context) (string, error) {
	dir, err := setDir(pe.set)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, pe.version[0], pe.version[1:]...)
	if strings.Contains(pe.version[0], "/") {
		cmd = exec.CommandContext(ctx, filepath.Join(dir, pe.version[0]), pe.version[1:]...)
	}
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("does not tell its version: %w: %s", err, lastLine(out))
	}
	return lastLine(out), nil
}

// startPeer starts a peer on a free port and waits until it listens.
func (g *rig) startPeer(ctx context.Context, pe *peer) (*child, error) {
	dir, err := setDir(pe.set)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(g.dir, "peer-")
	if err != nil {
		return nil, err
	}
	cmd := pe.command(&place{dir: dir, work: work, port: port, upstream: g.upstream.addr, listen: g.nginxListen()})
	if cmd.Dir == "" {
		cmd.Dir = dir
	}
	return startListening(ctx, cmd, "127.0.0.1:"+strconv.Itoa(port), filepath.Join(work, "log"))
}

// freePort is a port that is free now.
func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	addr, ok := ln.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("a TCP listener has no TCP address")
	}
	return addr.Port, nil
}

// isPeer reports whether a target is a program of somebody else.
func isPeer(name string) bool {
	return slices.ContainsFunc(allPeers, func(pe *peer) bool { return pe.title() == name })
}
