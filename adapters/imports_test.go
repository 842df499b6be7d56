package adapters_test

import (
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module  = "github.com/sabir-proxy/sabir/"
	hubPath = module + "adapters/hub"
	wire    = module + "adapters/wire"
	rawjson = module + "adapters/internal/rawjson"
	phrases = module + "adapters/internal/phrases"
	results = module + "adapters/internal/toolresult"
	members = module + "adapters/internal/eventjson"
	writer  = module + "adapters/internal/jsonwriter"
	hashes  = module + "adapters/internal/texthash"
	harness = "adapters/adaptertest"

	fasthttp = "github.com/valyala/fasthttp"
)

// rule says what packages may import besides the standard library.
type rule struct {
	folders []string // patterns of path.Match, below the module
	allowed []string // import paths; one that ends in /... stands for itself and all below
	why     string
}

// shared are the packages of what more than one dialect does in the same way.
var shared = []string{
	module + "adapters/internal/acpwire",
	module + "adapters/internal/annotation",
	module + "adapters/internal/approval",
	module + "adapters/internal/blocks",
	module + "adapters/internal/callmatch",
	module + "adapters/internal/codexwire",
	module + "adapters/internal/claudewire",
	module + "adapters/internal/finish",
	module + "adapters/internal/genai",
	writer,
	module + "adapters/internal/jsonrpc",
	module + "adapters/internal/legalid",
	module + "adapters/internal/member",
	module + "adapters/internal/namequeue",
	module + "adapters/internal/openaimodels",
	module + "adapters/internal/opened",
	module + "adapters/internal/plandedup",
	module + "adapters/internal/questions",
	module + "adapters/internal/recent",
	module + "adapters/internal/responsestream",
	module + "adapters/internal/settings",
	module + "adapters/internal/signatures",
	module + "adapters/internal/tagsplit",
	hashes,
	module + "adapters/internal/toolinfo",
	results,
	module + "adapters/conversation",
	module + "adapters/oneturn",
	module + "adapters/replay",
	module + "adapters/stages",
	module + "adapters/usage",
	members,
	phrases,
}

// rules: the first whose folders match decides.
var rules = []rule{
	{
		folders: []string{"adapters/wire"},
		why:     "framing is bytes in, bytes out: wire uses the standard library only",
	},
	{
		folders: []string{"adapters/internal/rawjson"},
		allowed: []string{"github.com/bytedance/sonic/..."},
		why:     "rawjson is the one package that touches the JSON library, and it needs nothing else",
	},
	{
		folders: []string{"adapters/hub"},
		allowed: []string{wire, rawjson},
		why:     "the hub is the model and knows no dialect: it imports only wire and rawjson",
	},
	{
		folders: []string{"adapters/sequencer", "adapters/stages", "adapters/fastpath", "adapters/snapshot", "adapters/usage"},
		allowed: []string{hubPath, wire, rawjson, module + "adapters/internal/signatures"},
		why:     "what works on canonical events knows no dialect, and not each other: it imports only hub, wire, rawjson, and what signatures stand for",
	},
	{
		folders: []string{"adapters/redact"},
		allowed: []string{hubPath},
		why:     "what must not leave is found in canonical events, whatever the dialect",
	},
	{
		folders: []string{"adapters/conversation"},
		allowed: []string{hubPath, wire, rawjson, results, module + "adapters/usage", module + "adapters/internal/approval", module + "adapters/internal/jsonwriter", module + "adapters/internal/signatures", module + "adapters/sequencer"},
		why:     "conversations at rest know no dialect: beside hub, wire and rawjson they need what sums up the usage of a run, approvals, results as text, the writer of JSON, which signatures are of whom, and the numbers of what is open",
	},
	{
		folders: []string{"adapters/replay"},
		allowed: []string{hubPath, wire, rawjson, results, module + "adapters/conversation", module + "adapters/sequencer", module + "adapters/stages"},
		why:     "what tells a conversation as a stream does what a pipeline does, and knows no dialect but the one that it is given",
	},
	{
		folders: []string{harness},
		allowed: []string{module + "adapters/...", "golang.org/x/tools/txtar"},
		why:     "the harness sees the adapters and nothing of the proxy",
	},
	{
		folders: []string{"adapters"},
		allowed: []string{module + "adapters/..."},
		why:     "the registry lists the dialects and needs nothing else",
	},
	{
		folders: []string{"adapters/policy"},
		allowed: []string{hubPath, wire, rawjson, module + "adapters/native", module + "adapters/fastpath", module + "adapters/stages"},
		why:     "the policies stand beside the hub, for all dialects: of these they import none but native, the hub's own notation",
	},
	{
		folders: []string{"adapters/threadids"},
		allowed: []string{hubPath, module + "adapters/internal/recent"},
		why:     "the ids of threads are the business of no dialect: they are changed between sequencer and encoder",
	},
	{
		folders: []string{"adapters/conform"},
		allowed: []string{hubPath, wire, rawjson, module + "adapters/policy", module + "adapters/recognize", module + "adapters/sequencer"},
		why:     "rules are checked by what reads streams, whatever the dialect: its decoder, recognition and the sequencer",
	},
	{
		folders: []string{"adapters/recognize"},
		allowed: []string{hubPath, wire, module + "adapters/policy"},
		why:     "recognition knows no dialect: it is given them, and lets their decoders read",
	},
	{
		folders: []string{"adapters/internal/*"},
		allowed: []string{hubPath, wire, rawjson, phrases, members, results, writer, hashes, module + "adapters/internal/member", module + "adapters/internal/opened", module + "adapters/internal/annotation"},
		why:     "what dialects share stands below them: it imports only hub, wire, rawjson, phrases, eventjson, toolresult, jsonwriter, texthash, member, opened, annotation and the standard library",
	},
	{
		folders: []string{"adapters/*", "adapters/*/*"},
		allowed: append([]string{hubPath, wire, rawjson}, shared...),
		why:     "dialects meet in the hub and nowhere else: they import only hub, wire, the standard library, and what several of them share, which is listed in shared",
	},
	{
		folders: []string{"proxy/internal/urls"},
		allowed: []string{fasthttp},
		why:     "how a URL is read is the same for every client and every upstream: urls knows neither, nor the configuration",
	},
	{
		folders: []string{"proxy/internal/fields"},
		allowed: []string{fasthttp, module + "config"},
		why:     "which header fields belong to whom is asked by both sides: fields knows neither clients nor upstreams",
	},
	{
		folders: []string{"proxy/internal/browser"},
		allowed: []string{fasthttp, hubPath, module + "config", module + "proxy/internal/fields"},
		why:     "web pages are judged by what they send and what is configured: browser knows neither routes nor the server",
	},
	{
		folders: []string{"proxy/internal/inbound"},
		allowed: []string{
			module + "config", module + "proxy/internal/fields", module + "proxy/internal/hangup", module + "proxy/internal/http1", module + "proxy/internal/rawio",
			fasthttp, "github.com/klauspost/compress/zstd", "github.com/prometheus/client_golang/prometheus", "go.uber.org/zap",
		},
		why: "connections of clients bring requests, whatever is asked: inbound knows no route, no upstream, no dialect and no engine",
	},
	{
		folders: []string{"proxy/internal/upstream"},
		allowed: []string{
			hubPath, module + "config", module + "proxy/internal/fields", module + "proxy/internal/http1", module + "proxy/internal/rawio",
			module + "proxy/internal/sessions", module + "proxy/internal/urls",
			fasthttp, "github.com/cespare/xxhash/v2", "github.com/prometheus/client_golang/prometheus", "go.uber.org/zap", "golang.org/x/net/http2",
		},
		why: "an upstream is asked and answers: it knows no client, no route, no dialect and no engine",
	},
	{
		folders: []string{"config"},
		allowed: []string{"go.yaml.in/yaml/v3"},
		why:     "the configuration is plain data: it imports YAML, and neither the proxy nor the adapters",
	},
}

// bans hold for folders and all below them, the harness excepted.
var bans = []struct {
	folder   string
	packages []string
	except   string // a folder that may
	why      string
}{
	{
		folder: "adapters",
		packages: []string{
			"bufio", "context", "io", "io/ioutil", "log", "log/slog", "net", "net/http", "os", "os/signal", "sync", "sync/atomic", "syscall",
			"math/rand", "math/rand/v2", "crypto/rand",
		},
		except: "adapters/internal/rawjson", // which shares schemas between goroutines
		why:    "adapters are values in, values out: no network, files, logs, locks, goroutines or chance",
	},
	{
		folder:   "adapters",
		packages: []string{"encoding/json", "github.com/bytedance/sonic"},
		except:   "adapters/internal/rawjson",
		why:      "only rawjson touches a JSON library",
	},
}

// clocks are the functions that make a result depend on when it is computed.
var clocks = []string{"time.Now(", "time.Since(", "time.Until(", "time.After(", "time.NewTimer(", "time.NewTicker(", "time.Sleep(", "time.AfterFunc("}

// TestImports walks the module and fails with the rule that is broken. Tests are free to import what they need.
func TestImports(t *testing.T) {
	for _, folder := range packageFolders(t) {
		pkg, err := build.Default.ImportDir(filepath.Join("..", folder), 0)
		if err != nil {
			continue // nothing but tests, or not for this system
		}
		for _, imp := range pkg.Imports {
			if why := broken(folder, imp); why != "" {
				t.Errorf("%s imports %s\nthe rule: %s", folder, imp, why)
			}
		}
		if below(folder, "adapters") && folder != harness {
			checkClocks(t, folder, pkg.GoFiles)
		}
	}
}

// packageFolders lists the folders of the module that hold Go files, relative to it.
func packageFolders(t *testing.T) (folders []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != ".." && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name()[0] == '.'):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(p, ".go"):
			folder, err := filepath.Rel("..", filepath.Dir(p))
			folders = append(folders, filepath.ToSlash(folder))
			return err
		}
		return nil
	})
	if err != nil || len(folders) == 0 {
		t.Fatalf("no packages found: %v", err)
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// broken returns the rule that an import breaks, "" if none.
func broken(folder, imp string) string {
	for _, b := range bans {
		if below(folder, b.folder) && folder != b.except && folder != harness && slices.Contains(b.packages, imp) {
			return b.why
		}
	}
	if standard(imp) {
		return ""
	}
	for _, r := range rules {
		if slices.ContainsFunc(r.folders, func(p string) bool { ok, _ := path.Match(p, folder); return ok }) {
			return r.broken(imp)
		}
	}
	return ""
}

func (r *rule) broken(imp string) string {
	for _, a := range r.allowed {
		if root, ok := strings.CutSuffix(a, "/..."); imp == a || ok && below(imp, root) {
			return ""
		}
	}
	return r.why
}

func below(folder, outer string) bool { return folder == outer || strings.HasPrefix(folder, outer+"/") }

// standard reports whether an import path is of the standard library: its first element has no dot.
func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

func checkClocks(t *testing.T, folder string, files []string) {
	t.Helper()
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join("..", folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range clocks {
			if strings.Contains(string(text), c) {
				t.Errorf("%s/%s calls %s…)\nthe rule: adapters have no clock; the caller passes the time", folder, name, c)
			}
		}
	}
}

// TestBroken shows that the rules can fail.
func TestBroken(t *testing.T) {
	f := func(folder, imp string, want bool) {
		t.Helper()
		if got := broken(folder, imp) != ""; got != want {
			t.Errorf("%s importing %s breaks a rule: %t, want %t", folder, imp, got, want)
		}
	}
	f("adapters/agui", hubPath, false)
	f("adapters/agui", rawjson, false)
	f("adapters/acp", module+"adapters/internal/acpwire", false)
	f("adapters/internal/acpwire", hubPath, false)
	f("adapters/internal/acpwire", module+"adapters/acp", true)
	f("adapters/agui", "bytes", false)
	f("adapters/agui", module+"adapters/evolve", true)
	f("adapters/agui", module+"proxy", true)
	f("adapters/agui", "github.com/bytedance/sonic", true)
	f("adapters/agui", "encoding/json", true)
	f("adapters/agui", "net/http", true)
	f("adapters/agui/v1", "github.com/google/uuid", true)
	f("adapters/hub", module+"adapters/agui", true)
	f("adapters/hub", wire, false)
	f("adapters/policy", module+"adapters/native", false)
	f("adapters/policy", module+"adapters/agui", true)
	f("adapters/wire", hubPath, true)
	f("adapters/internal/rawjson", "github.com/bytedance/sonic", false)
	f("adapters/internal/rawjson", hubPath, true)
	f("adapters", module+"adapters/agui", false)
	f("adapters", module+"proxy", true)
	f("config", "go.yaml.in/yaml/v3", false)
	f("config", module+"adapters", true)
	f("proxy", "go.uber.org/zap", false)
	f("proxy/internal/upstream", module+"proxy/internal/rawio", false)
	f("proxy/internal/upstream", module+"proxy/engine", true)
	f("proxy/internal/upstream", module+"adapters/agui", true)
	f("proxy/internal/urls", module+"config", true)
	f("proxy/internal/inbound", module+"proxy/internal/rawio", false)
	f("proxy/internal/inbound", module+"proxy/internal/upstream", true)
}
