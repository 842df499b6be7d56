//go:build unix

package main

import (
	"net/http"
	"os"
	"syscall"
	"testing"
)

// SIGHUP reads the file again, also where nothing was seen to change.
func TestServeHangup(t *testing.T) {
	agent := newAgent(t)
	p, clients, admin := serving(t, write(t, "sabir.yaml", configFor(agent, "", "/agui")))
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.stderr.await(t, 0, `"why":"SIGHUP"`)
	wantMetrics(t, admin, `sabir_config_reloads_total{result="ok"} 1`)
	if status, _ := get(t, clients+"/other"); status != http.StatusNotFound {
		t.Errorf("status %d", status)
	}
}
