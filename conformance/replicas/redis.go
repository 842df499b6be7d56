//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var server = flag.String("server", "redis", "the servers to use: redis or valkey, which have programs such as redis-server and redis-cli")

// redisServer starts a server on a port, with options beside those that all have.
func (s *stage) redisServer(ctx context.Context, port int, options ...string) error {
	folder, err := os.MkdirTemp(s.folder, "redis")
	if err != nil {
		return err
	}
	options = append([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder, "--repl-diskless-sync-delay", "0"}, options...)
	return s.redisProcess(ctx, port, options...)
}

func (s *stage) redisProcess(ctx context.Context, port int, options ...string) error {
	cmd := exec.CommandContext(ctx, *server+"-server", options...)
	if err := cmd.Start(); err != nil {
		return err
	}
	s.redis = append(s.redis, cmd)
	return awaitPort(redisAddress(port))
}

func redisAddress(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// restartRedis kills the only server, and starts it again at the same port.
func (s *stage) restartRedis(ctx context.Context) error {
	_ = s.redis[0].Process.Kill()
	_ = s.redis[0].Wait()
	again := exec.CommandContext(ctx, s.redis[0].Path, s.redis[0].Args[1:]...)
	s.redis[0] = again
	return again.Start()
}

// stopRedis ends all servers.
func (s *stage) stopRedis() {
	for _, cmd := range s.redis {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	s.redis = nil
}

// ask sends a command to a server, and returns what it answers.
func ask(ctx context.Context, port int, command ...string) (string, error) {
	out, err := exec.CommandContext(ctx, *server+"-cli", append([]string{"-p", strconv.Itoa(port)}, command...)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w: %.500s", strings.Join(command, " "), err, out)
	}
	return string(out), err
}

// askUntil sends a command until the answer has a text.
func askUntil(ctx context.Context, port int, want string, command ...string) (err error) {
	out := ""
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if out, err = ask(ctx, port, command...); err == nil && strings.Contains(out, want) {
			return nil
		}
	}
	return fmt.Errorf("%s has no %q: %w: %.500s", strings.Join(command, " "), want, err, out)
}

// oneRedis is a server by itself.
func oneRedis(ctx context.Context, s *stage) error {
	s.redisPort = freePort()
	s.store = "url: redis://" + redisAddress(s.redisPort)
	return s.redisServer(ctx, s.redisPort)
}

// clusterRedis is a cluster of three masters, each with a replica.
func clusterRedis(ctx context.Context, s *stage) error {
	var addresses []string
	first := 0
	for range 6 {
		port := freePort()
		for port > 55_000 { // each takes the port that is 10,000 above as well
			port = freePort()
		}
		if first == 0 {
			first = port
		}
		addresses = append(addresses, redisAddress(port))
		if err := s.redisServer(ctx, port, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000"); err != nil {
			return err
		}
	}
	s.store = "cluster: [" + strings.Join(addresses[:3], ", ") + "]"
	create := append([]string{"--cluster", "create"}, addresses...)
	if _, err := ask(ctx, first, append(create, "--cluster-replicas", "1", "--cluster-yes")...); err != nil {
		return err
	}
	for i, address := range addresses {
		_, port, _ := strings.Cut(address, ":")
		n, _ := strconv.Atoi(port)
		err := askUntil(ctx, n, "cluster_state:ok", "cluster", "info")
		if i >= 3 {
			err = errors.Join(err, askUntil(ctx, n, "master_link_status:up", "info", "replication"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sentinelRedis is a master with a replica, and three sentinels that watch them.
func sentinelRedis(ctx context.Context, s *stage) error {
	master, replica := freePort(), freePort()
	if err := s.redisServer(ctx, master); err != nil {
		return err
	}
	if err := s.redisServer(ctx, replica, "--replicaof", "127.0.0.1", strconv.Itoa(master)); err != nil {
		return err
	}
	if err := askUntil(ctx, replica, "master_link_status:up", "info", "replication"); err != nil {
		return err
	}
	var addresses []string
	ports := []int{freePort(), freePort(), freePort()}
	for i, port := range ports {
		file := filepath.Join(s.folder, fmt.Sprintf("sentinel%d-%d.conf", i, port))
		text := fmt.Sprintf("port %d\nbind 127.0.0.1\ndir %s\nsentinel monitor runs 127.0.0.1 %d 2\n", port, s.folder, master) +
			"sentinel down-after-milliseconds runs 500\nsentinel failover-timeout runs 3000\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		if err := s.redisProcess(ctx, port, file, "--sentinel"); err != nil {
			return err
		}
		addresses = append(addresses, redisAddress(port))
	}
	s.store = "sentinel: {master: runs, addresses: [" + strings.Join(addresses, ", ") + "]}"
	for _, port := range ports { // they find each other by the master, and the replica too
		known := errors.Join(askUntil(ctx, port, "num-other-sentinels\n2", "sentinel", "master", "runs"), askUntil(ctx, port, "num-slaves\n1", "sentinel", "master", "runs"))
		if known != nil {
			return known
		}
	}
	return nil
}
