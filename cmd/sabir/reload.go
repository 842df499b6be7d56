package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// reloader makes a running server follow its configuration file.
//
// It watches the folder, not the file: editors and ConfigMaps put another file in its place. What happened in the folder
// does not matter, only whether the content is another one than before; and a content counts when two looks in a row
// find the same, so that a file that is still being written is left alone.
type reloader struct {
	path    string
	server  reloadable
	log     *zap.Logger
	level   zap.AtomicLevel
	started *config.Config // what only a start can change is compared with this
	seen    [sha256.Size]byte
}

// reloadable is the part of proxy.Server that a reloader needs.
type reloadable interface {
	Reload(*config.Config) error
	ReloadFailed()
}

// lookAgain is the time between two looks at a file that has changed.
const lookAgain = 100 * time.Millisecond

// run follows the file and the signal until ctx is done.
func (r *reloader) run(ctx context.Context, hangup <-chan os.Signal) {
	events, faults, stop := r.watch()
	defer stop()
	found, look := r.seen, time.After(lookAgain) // for what has changed before the watch began
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			r.reload("SIGHUP")
		case err := <-faults:
			r.log.Warn("a change of the configuration file may have been missed; it is looked at again", zap.Error(err))
			found, look = r.seen, time.After(lookAgain) // events may have been lost
		case <-events:
			if look == nil {
				found, look = r.seen, time.After(lookAgain)
			}
		case <-look:
			now := fingerprint(r.path)
			switch look = nil; {
			case now == r.seen:
			case now != found:
				found, look = now, time.After(lookAgain)
			default:
				r.reload("file changed")
			}
		}
	}
}

// stay stands in for run where there is no file to follow. It says so to those who ask for it.
func (r *reloader) stay(ctx context.Context, hangup <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			r.log.Warn("SIGHUP changes nothing: the configuration is made of flags, there is no file to read again")
		}
	}
}

// watch begins to watch the folder of the file. Where that is impossible the channels stay silent, and SIGHUP remains.
func (r *reloader) watch() (<-chan fsnotify.Event, <-chan error, func()) {
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(filepath.Dir(r.path)); err == nil {
			return w.Events, w.Errors, func() { _ = w.Close() }
		}
		_ = w.Close()
	}
	r.log.Warn("the configuration file cannot be watched; send SIGHUP after a change", zap.Error(err))
	return nil, nil, func() {}
}

// fingerprint identifies the content of a file; the reason counts as content where there is none.
func fingerprint(path string) [sha256.Size]byte {
	data, err := os.ReadFile(path)
	if err != nil {
		data = []byte(err.Error())
	}
	return sha256.Sum256(data)
}

// reload reads the file and makes the server follow it, if it is good.
func (r *reloader) reload(why string) {
	r.seen = fingerprint(r.path)
	cfg, err := config.Load(r.path, new(catalog), os.LookupEnv)
	if err == nil {
		err = r.server.Reload(cfg) // it counts its success itself
	}
	if err != nil {
		r.server.ReloadFailed()
		r.refused(why, err)
		return
	}
	r.level.SetLevel(levelOf(cfg.Log))
	r.log.Info("configuration reloaded", zap.String("why", why), zap.Strings("routes", routesOf(cfg)))
	for _, warning := range cfg.Warnings() {
		r.log.Warn(warning)
	}
	if keys := needRestart(r.started, cfg); len(keys) > 0 {
		r.log.Warn("these settings take effect with a restart only", zap.Strings("settings", keys))
	}
}

func (r *reloader) refused(why string, err error) {
	var problems config.Problems
	if !errors.As(err, &problems) {
		r.log.Error("configuration refused; the old one stays", zap.String("why", why), zap.Error(err))
		return
	}
	for _, p := range problems {
		r.log.Error("configuration refused; the old one stays", zap.String("why", why), zap.Stringer("problem", p))
	}
}

// needRestart names the settings of now that have no effect before a restart.
func needRestart(started, now *config.Config) []string {
	var keys []string
	add := func(changed bool, key string) {
		if changed {
			keys = append(keys, key)
		}
	}
	add(started.Listen != now.Listen, "listen")
	add((started.TLS == nil) != (now.TLS == nil), "tls")
	add(started.HTTP2 != now.HTTP2, "http2")
	add(started.Admin.Listen != now.Admin.Listen, "admin")
	add((started.Admin.TLS == nil) != (now.Admin.TLS == nil), "admin.tls")
	add(started.Log.Format != now.Log.Format, "log.format")
	add(started.Limits.Header != now.Limits.Header, "limits.header")
	add(started.Timeouts.Read != now.Timeouts.Read, "timeouts.read")
	add(auditNeedsRestart(started.Audit, now.Audit), "audit")
	add(!reflect.DeepEqual(started.Tracing, now.Tracing), "tracing")
	add(!reflect.DeepEqual(started.Store.Redis, now.Store.Redis), "store.redis")
	return keys
}

// auditNeedsRestart reports whether more than the path of an audit has changed, which a reload follows.
func auditNeedsRestart(started, now *config.Audit) bool {
	if started == nil || now == nil {
		return started != now
	}
	return started.Chain != now.Chain || started.Queue != now.Queue
}
