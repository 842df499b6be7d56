//go:build unix

// Command replicas starts three replicas of Sabir that share a Redis server, all of them processes of their own, and does to them what
// happens to processes: it ends, kills and freezes replicas and Redis while clients read runs. Each trial prints what came of it:
//
//	go run ./conformance/replicas
//
// It needs redis-server and redis-cli in PATH, or those of Valkey. What a client has at the end must be what the agent said, once and whole, or end with an error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// trials are all there are, by what happens.
var trials = []struct {
	what  string
	redis func(context.Context, *stage) error
	try   func(context.Context, *stage) error
}{
	{"a client is cut and comes back at another replica", oneRedis, cut},
	{"clients of eight dialects read one run at another replica", oneRedis, eight},
	{"the owner gets SIGTERM", oneRedis, drained},
	{"the owner is killed", oneRedis, killed},
	{"the owner is frozen, and wakes", oneRedis, frozen},
	{"Redis is frozen", oneRedis, redisFrozen},
	{"Redis is restarted, empty", oneRedis, redisEmpty},
	{"Redis is full", oneRedis, full},
	{"conversations go from replica to replica, one is killed between turns, one during a turn", oneRedis, talked},
	{"a replica is frozen during turns, and wakes when others have gone on with the conversations", oneRedis, overtaken},
	{"a run is cancelled at another replica", oneRedis, cancelled},
	{"all replicas are restarted, one after the other, under 300 runs", oneRedis, rolling},
	{"a cluster loses one of its three masters", clusterRedis, promoted},
	{"the master that sentinels know is killed", sentinelRedis, promoted},
}

var only = flag.String("only", "", "do the trials alone that have this in what they print")

func run() error {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	folder, err := os.MkdirTemp("", "replicas")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "sabir")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/sabir").CombinedOutput(); err != nil {
		return fmt.Errorf("building Sabir: %w\n%s", err, out)
	}
	failed := 0
	for _, t := range trials {
		if !strings.Contains(t.what, *only) {
			continue
		}
		begun := time.Now()
		s, err := newStage(ctx, folder, program, t.redis)
		if err == nil {
			err = t.try(ctx, s)
		}
		err = errors.Join(err, s.close())
		verdict := "ok    "
		if err != nil {
			verdict = "FAILED"
			failed++
		}
		fmt.Printf("%s %s (%.1f s)\n", verdict, t.what, time.Since(begun).Seconds())
		if err != nil {
			fmt.Printf("       %v\n", err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d trials failed", failed, len(trials))
	}
	return nil
}
