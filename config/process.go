package config

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"time"
)

// DefaultProcessEnv are the variables that an agent sees of Sabir's environment where none are named.
func DefaultProcessEnv() []string { return []string{"HOME", "LANG", "PATH", "TMPDIR", "USER"} }

func usualProcess() Process {
	return Process{
		Env: DefaultProcessEnv(), Max: 8, Idle: 10 * time.Minute, Keep: 24 * time.Hour, Sessions: 1000,
		History: "preamble",
	}
}

// isUsual reports whether nothing is said of processes.
func (p Process) isUsual() bool {
	if len(p.SetEnv) == 0 {
		p.SetEnv = nil
	}
	return reflect.DeepEqual(p, usualProcess())
}

var usualAsks = Asks{Wait: 10 * time.Minute, Without: "deny"}

// A ProcessChecker is a Dialects that knows whose agents run as child processes.
type ProcessChecker interface {
	// CheckProcess returns why agents of a dialect cannot be run; nil when they can, or when there is no such dialect.
	CheckProcess(dialect string) error

	// CheckProcessClient returns why clients of a dialect cannot ask such an agent; nil when they can.
	CheckProcessClient(dialect string) error
}

// An AskChecker is a Dialects that knows which questions wait for their answer, besides those of child processes.
type AskChecker interface {
	// AsksInTurn reports whether clients of a dialect are asked in the middle of a turn, and so wait for the answer in front of any agent.
	AsksInTurn(dialect string) bool

	// TakesAnswers reports whether servers of a dialect take the answer to a question while their run goes on.
	TakesAnswers(dialect string) bool
}

// process checks an upstream that is a program.
func (v *validator) process(at string, u *Upstream) {
	for i, arg := range u.Command {
		v.check(i > 0 || arg != "", index(at+".command", i), "must name a program")
	}
	if checker, ok := v.dialects.(ProcessChecker); ok && !v.found[at+".dialect"] {
		err := checker.CheckProcess(u.Dialect)
		v.check(err == nil, at+".command", "%v", err)
	}
	for key, said := range map[string]bool{
		"url": u.URL.Host != "", "socket": u.Socket != "", "start": u.Start != nil, "cancel": u.Cancel != nil, "request": u.Request != "", "request_dialect": u.RequestDialect != "", "whole": u.Whole,
		"framing": u.Framing != Auto, "method": u.Method != "", "headers": len(u.Headers.Set) > 0, "tls": u.TLS != TLS{}, "http2": u.HTTP2, "settle": u.Settle != nil,
	} {
		v.check(!said, at+"."+key, "has no meaning with command")
	}
	for i, name := range u.Process.Env {
		v.check(variable.MatchString(name), index(at+".process.env", i), "%s is not the name of an environment variable", quote(name))
	}
	v.distinct(at+".process.env", u.Process.Env)
	for _, name := range slices.Sorted(maps.Keys(u.Process.SetEnv)) {
		v.check(variable.MatchString(name), join(at+".process.set_env", name), "must be the name of an environment variable")
	}
}

// processRoute checks a route to an upstream that is a program.
func (v *validator) processRoute(at string, r *Route) {
	u := v.c.Upstreams[r.Upstream]
	if u == nil || len(u.Command) == 0 {
		if u != nil {
			v.asks(at+".asks", u, r)
		}
		return
	}
	v.check(r.Requests.Mode == Translate, at+".requests.mode", "must be translate for an upstream with command")
	v.check(r.Start == "", at+".start", "has no meaning for an upstream with command")
	checker, ok := v.dialects.(ProcessChecker)
	if ok && r.Client != Auto && !v.found[at+".client"] {
		err := checker.CheckProcessClient(r.Client)
		v.check(err == nil, at+".client", "%v", err)
	}
}

// asks checks what becomes of questions of an agent that is no child process.
func (v *validator) asks(at string, u *Upstream, r *Route) {
	checker, ok := v.dialects.(AskChecker)
	if !ok {
		return
	}
	waits := r.Asks.Wait == usualAsks.Wait || checker.AsksInTurn(r.Client)
	answered := r.Asks.Without == usualAsks.Without || checker.TakesAnswers(u.Dialect)
	v.check(waits && answered, at, "has a meaning only for an upstream with command; wait for client: acp, and without for an upstream of opencode, too")
}

// checkDirectory reports a directory that is named but cannot be worked in.
func checkDirectory(at, dir string, r *report) {
	if dir == "" {
		return
	}
	if info, err := os.Stat(dir); err != nil {
		r.add(at, "%s", err)
	} else if !info.IsDir() {
		r.add(at, "%s is no directory", dir)
	}
}
