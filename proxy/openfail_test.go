package proxy

import (
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// wrongParts are configurations that were checked, and then cannot be served, by what the error says.
func wrongParts(t *testing.T) map[string]func(*config.Config) {
	t.Helper()
	missing := filepath.Join(t.TempDir(), "missing", "file")
	return map[string]func(*config.Config){
		"store.redis.url": func(cfg *config.Config) {
			cfg.Store.Redis.URL = config.RedisURL{URL: url.URL{Scheme: "http", Host: "h"}}
		},
		"store.redis.ca": func(cfg *config.Config) { cfg.Store.Redis.URL, cfg.Store.Redis.CA = redisURL(), missing },
		"tls":            func(cfg *config.Config) { cfg.TLS = &config.ServerTLS{Cert: missing, Key: missing} },
		"audit":          func(cfg *config.Config) { cfg.Audit = &config.Audit{Path: missing, Queue: 1} },
		"route /run":     func(cfg *config.Config) { cfg.Routes[0].Auth.Any = []string{"jwt"} },
		"no-such":        func(cfg *config.Config) { cfg.Upstreams["agent"].Dialect = "no-such" },
		"option":         func(cfg *config.Config) { cfg.Upstreams["agent"].Options = map[string]any{"no_option": 1} },
		"framing":        func(cfg *config.Config) { cfg.Upstreams["agent"].Framing = "smoke" },
		"no-form":        func(cfg *config.Config) { cfg.Upstreams["agent"].RequestDialect = "no-form" },
		"request":        func(cfg *config.Config) { cfg.Upstreams["agent"].Request = "{" },
		"redact": func(cfg *config.Config) {
			cfg.Routes[0].Redact.Patterns = []config.RedactPattern{{Name: "p", Regexp: "("}}
		},
		"no_target_option": func(cfg *config.Config) { cfg.Routes[0].Options = map[string]any{"no_target_option": 1} },
		"dialect mine":     func(cfg *config.Config) { cfg.Declared = map[string]map[string]any{"mine": {}} },
		"smoke":            func(cfg *config.Config) { cfg.Routes[0].Framing = "smoke" },
		"to answer in":     func(cfg *config.Config) { cfg.Routes[0].Client = "no-client" },
	}
}

func redisURL() config.RedisURL {
	return config.RedisURL{URL: url.URL{Scheme: "rediss", Host: "127.0.0.1:1"}}
}

// TestPartsThatCannotBeOpened: a server is not made where any part of it cannot be, and says which; one that runs keeps what it has.
func TestPartsThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := start(t, simple(agent.url(), "", "", "client: twin\n"))
	for says, spoil := range wrongParts(t) {
		cfg := parse(t, simple(agent.url(), "", "", "client: twin\n"))
		spoil(cfg)
		if s, err := New(cfg, zap.NewNop(), "test"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
			if err == nil {
				s.closeParts()
			}
		}
		atStart := strings.HasPrefix(says, "store") || says == "audit" || says == "tls" // a reload leaves these as they are
		if err := r.Reload(cfg); (err == nil) != atStart {
			t.Errorf("%s: the reload: %v", says, err)
		}
		if resp, body := r.post("/run", "{}"); resp.StatusCode != 200 || body != smallRunOut {
			t.Errorf("%s: after the reload status %d: %s", says, resp.StatusCode, body)
		}
	}
}

// TestFirstPartThatCannotBeOpened: of several parts the error is about the first, behind which nothing is opened.
func TestFirstPartThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	wrong := wrongParts(t)
	cfg := parse(t, simple("http://127.0.0.1:1/", "", "", "client: twin\n"))
	for _, says := range []string{"audit", "no-such", "tls", "store.redis.url"} {
		wrong[says](cfg)
		if _, err := New(cfg, zap.NewNop(), "test"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestHostOfTheUpstream: an upstream is called by the name that the configuration has, in whatever letters.
func TestHostOfTheUpstream(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	_, port, err := net.SplitHostPort(agent.ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, simple("http://LocalHost:"+port+"/a/b?c=d", "", "", "client: twin\n"))
	r.post("/run?e=f", "{}")
	if got := <-asked; !strings.EqualFold(got.Host, "localhost:"+port) || got.RequestURI != "/a/b?c=d&e=f" {
		t.Errorf("the agent is called %s%s", got.Host, got.RequestURI)
	}
}
