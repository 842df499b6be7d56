//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// TestListenOnSocket: a socket that was left behind is replaced, one in use and a file are not.
func TestListenOnSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sabir.sock")
	first, err := listenOn(new(sockets), "listen", "unix:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := listenOn(new(sockets), "listen", "unix:"+path); err == nil {
		second.Close()
		t.Error("a socket in use is taken")
	}
	first.(*net.UnixListener).SetUnlinkOnClose(false)
	first.Close()
	again, err := listenOn(new(sockets), "listen", "unix:"+path)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ln, err := listenOn(new(sockets), "listen", "unix:"+path); err == nil {
		ln.Close()
		t.Error("a file is replaced")
	}
}
