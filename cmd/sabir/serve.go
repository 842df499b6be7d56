package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/cmd/sabir/internal/logsink"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/try"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy"
)

func newServe() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:        "serve [--config FILE]",
		SuggestFor: []string{"run", "start", "server", "up"},
		Short:      "Serve clients as a configuration says",
		Long: `Serve answers clients until it receives a signal. Standard output gets one line
with the addresses, standard error the log. On a terminal, or with log.format
console, it begins with a line of curl for each route, to try it.

SIGTERM or SIGINT drains: no new streams, running ones get the time of
timeouts.drain, then an honest ending. A second signal ends at once.

SIGUSR2 is a hot restart: the program, as it is on disk then, is started with
the same arguments and takes over the sockets. This process ends when its
streams have ended, at the latest after timeouts.restart. If the new one cannot
serve, as with a faulty configuration, nothing changes. The sockets may be those
of systemd (LISTEN_FDS), which is notified (NOTIFY_SOCKET).

The log never holds a stream up: lines that are not read are dropped, and
counted as sabir_log_lines_dropped_total.

A changed configuration file is taken over without losing a stream, however it
was replaced, by a rename or by a mounted ConfigMap; so is SIGHUP, which also
reads certificates and the files of dialects again. A file with problems changes
nothing; they are logged. Addresses, whether there is tls, http2, log.format,
limits.header, timeouts.read, audit but for its path, tracing and store.redis
need a restart, and a log line says so. Certificates of tls are read again when
their files change.

Nothing about the machine has to be tuned: the limit of open files is raised as
far as the system allows, the number of threads follows the CPU limit of a
container, and memory is collected early; GOGC and GOMEMLIMIT are respected.`,
		Example: `  sabir serve --config sabir.yaml
  kill -HUP $(pidof sabir)             read the configuration again
  kill -USR2 $(pidof sabir)            let another process take over
  curl http://127.0.0.1:9090/readyz    ready for new streams?`,
		Args: takeConfig,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			s := service{path: path, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), welcome: hint(cmd.ErrOrStderr())}
			return s.serve(cmd.Context())
		}),
	}
	cmd.Flags().StringVarP(&path, "config", "c", defaultConfig, "configuration `FILE`")
	return cmd
}

// flushTime is how long the end waits for somebody to take the last lines of the log.
const flushTime = time.Second

// service is what is served, and where it is logged.
type service struct {
	path           string // of the configuration
	text           []byte // the configuration, where flags stand for it; nil: the file has it
	stdout, stderr io.Writer

	// welcome says what to try, once the addresses are known: to standard output, or where the log goes.
	welcome func(stdout, log io.Writer, o *opened)
}

// opened is a server that listens.
type opened struct {
	cfg    *config.Config
	routes []try.Route
	base   string // its URL
	page   string // that of the page of runs; "" for none
}

// pageOf is the URL of the page of runs; "" where there is none.
func (l *listeners) pageOf(cfg *config.Config) string {
	if l.admin == nil || cfg.Inspect == config.Off {
		return ""
	}
	return try.Base(l.admin.Addr(), cfg.Admin.TLS != nil) + "/inspect/"
}

// trials are the lines that try the routes, and why there is none for some.
func (o *opened) trials() (lines []string) {
	for i := range o.routes {
		r := &o.routes[i]
		line := r.Curl(o.base)
		if line == "" {
			line = "# " + r.Path + ": " + r.Not()
		}
		lines = append(lines, line)
	}
	return lines
}

// look says where the page of runs is.
func (o *opened) look() string {
	if o.page == "" {
		return ""
	}
	return "Look at the runs: " + o.page + "\n"
}

// hint says what to try, where people read the log.
func hint(stderr io.Writer) func(stdout, log io.Writer, o *opened) {
	return func(_, log io.Writer, o *opened) {
		if lines := o.trials(); len(lines) > 0 && (o.cfg.Log.Format == "console" || term.IsTerminal(stderr)) {
			fmt.Fprintf(log, "Try in another terminal:\n\n  %s\n\n%s", strings.Join(lines, "\n  "), o.look())
		}
	}
}

// load reads the configuration.
func (s *service) load(known *catalog) (*config.Config, error) {
	if s.text == nil {
		return load(s.path, known, s.stderr)
	}
	return config.ParseFiles(s.path, s.text, known, os.LookupEnv)
}

func (s *service) serve(ctx context.Context) error {
	tuning, tuned := context.WithCancel(ctx)
	defer tuned()
	go tuneMemory(tuning)
	// A log whose reader has gone must not end the streams: with a handler, a write there is an error like any other.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	// From the very start: a SIGHUP that comes early must not end the process.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)

	restarts, stop := restartSignals()
	defer stop()

	seen := fingerprint(s.path)
	known := new(catalog)
	cfg, err := s.load(known)
	if err != nil {
		return err
	}
	sink := newLogSink(cfg.Log, s.stderr)
	defer sink.Close(flushTime) // after everything else: the last streams are logged while they end
	log, level := newLogger(cfg.Log, sink)
	socks, err := inheritSockets()
	if err != nil {
		return err
	}
	defer socks.release()
	ls, err := listen(cfg, socks)
	if err != nil {
		return err
	}
	defer ls.close() // a server that is stopped before it has begun leaves them open
	server, err := proxy.New(cfg, log, versionName())
	if err != nil {
		return err
	}
	server.CountDroppedLogLines(sink.Dropped)
	logEndAtOnce.Store(new(func() {
		log.Warn("ended at once by a second signal", zap.Int64("streams", server.Streams()))
		sink.Close(flushTime)
	}))
	defer logEndAtOnce.Store(nil)
	said := logsink.New(s.stdout, nil)
	defer said.Close(flushTime)
	s.welcome(said, sink, &opened{cfg: cfg, routes: try.Routes(cfg, known), base: try.Base(ls.clients.Addr(), cfg.TLS != nil), page: ls.pageOf(cfg)})
	ls.announce(said)
	log.Info("serving", zap.String("version", versionName()), zap.Int("pid", os.Getpid()), zap.String("config", s.path), zap.Stringer("listen", ls.clients.Addr()),
		zap.String("admin", ls.adminAddr()), zap.Strings("routes", routesOf(cfg)))
	for _, warning := range cfg.Warnings() {
		log.Warn(warning)
	}
	r := &reloader{path: s.path, server: server, log: log, level: level, started: cfg, seen: seen}
	follow := r.run
	if s.text != nil {
		follow = r.stay
	}
	if err := socks.ready(); err != nil {
		return fmt.Errorf("the process before this one cannot be relieved: %w", err)
	}
	re := &restarter{sockets: socks, log: log, signals: restarts}
	err = serveOn(ctx, server, ls, re, func(ctx context.Context) { follow(ctx, hangup) })
	log.Info("stopped", zap.Error(err))
	return err
}

// serveOn runs the server, its side for operators and what runs beside them, and returns when all have ended.
func serveOn(ctx context.Context, server *proxy.Server, ls *listeners, re *restarter, beside func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Operators are answered until the last stream has ended: that is when they look.
	adminCtx, endAdmin := context.WithCancel(context.WithoutCancel(ctx))
	defer endAdmin()

	var all sync.WaitGroup
	var adminErr error
	all.Go(func() { beside(ctx) })
	all.Go(func() {
		if re.run(ctx) {
			endAdmin() // operators see the new process from here on
			server.Replaced()
		}
	})
	if ls.admin != nil {
		all.Go(func() {
			adminErr = server.ServeAdmin(adminCtx, ls.admin)
			if adminErr != nil {
				cancel()
			}
		})
	}
	err := server.Serve(ctx, ls.clients)
	cancel()
	endAdmin()
	all.Wait()
	return errors.Join(err, adminErr)
}

// listeners are the addresses of a server.
type listeners struct {
	clients net.Listener
	admin   net.Listener // nil: none
}

// listen takes the addresses before anything else is begun: one that is in use is the commonest fault of all.
func listen(cfg *config.Config, socks *sockets) (*listeners, error) {
	ls := new(listeners)
	var err error
	if ls.clients, err = listenOn(socks, "listen", cfg.Listen); err != nil {
		return nil, err
	}
	if cfg.Admin.Listen == "" {
		return ls, nil
	}
	if ls.admin, err = listenOn(socks, "admin", cfg.Admin.Listen); err != nil {
		ls.close()
		return nil, err
	}
	return ls, nil
}

// listenOn listens on an address; key is what names it to the user.
func listenOn(socks *sockets, key, address string) (net.Listener, error) {
	network := "tcp"
	if path, ok := config.SocketPath(address); ok {
		network, address = "unix", path
	}
	ln, err := socks.take(key, network, address)
	switch {
	case err == nil:
		return ln, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: %s is in use by another program; end that one or choose another port (0 takes any that is free)",
			key, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s: there is no permission to use %s; ports below 1024 often need more rights", key, address)
	}
	return nil, fmt.Errorf("%s: cannot listen on %s: %w", key, address, err)
}

// removeStale removes the socket of a process that has not ended as it should. One on which somebody listens stays.
func removeStale(path string) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	switch {
	case err == nil:
		_ = c.Close()
	case errors.Is(err, syscall.ECONNREFUSED):
		_ = os.Remove(path)
	}
}

func (l *listeners) close() {
	l.clients.Close()
	if l.admin != nil {
		l.admin.Close()
	}
}

func (l *listeners) adminAddr() string {
	if l.admin == nil {
		return "off"
	}
	return l.admin.Addr().String()
}

func (l *listeners) announce(w io.Writer) {
	fmt.Fprintf(w, "sabir listens on %s; for operators: %s\n", l.clients.Addr(), l.adminAddr())
}

// routesOf shows what is served, as in "/agui: evolve to agui".
func routesOf(cfg *config.Config) []string {
	var out []string
	for _, r := range cfg.Routes {
		client := r.Client
		if client == config.Auto {
			client = config.Auto + ", else " + r.Default
		}
		out = append(out, fmt.Sprintf("%s: %s to %s", r.Path, cfg.Upstreams[r.Upstream].Dialect, client))
	}
	return out
}
