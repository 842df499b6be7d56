package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// nginxConfig passes a stream through as operators of streams set it up: without buffering, connections kept.
const nginxConfig = `daemon off;
worker_processes 2;
worker_rlimit_nofile %d;
pid %s/nginx.pid;
error_log %s/error.log warn;
events { worker_connections 30000; }
http {
	access_log off;
	client_body_temp_path %[2]s/body;
	proxy_temp_path %[2]s/proxy;
	fastcgi_temp_path %[2]s/fastcgi;
	uwsgi_temp_path %[2]s/uwsgi;
	scgi_temp_path %[2]s/scgi;
	keepalive_requests 1000000;
	upstream server {
		server %[4]s;
		keepalive 128;
		keepalive_requests 1000000;
	}
	server {
		listen 127.0.0.1:%[5]d backlog=4096%[6]s;
		location / {
			proxy_pass http://server;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_buffering off;
			proxy_read_timeout 10m;
		}
	}
}
`

func startNginx(p *place) *exec.Cmd {
	file := filepath.Join(p.work, "nginx.conf")
	_ = os.Chmod(p.work, 0o755) //nolint:gosec // its workers run as another user
	text := fmt.Sprintf(nginxConfig, max(moreFiles(), 1024), p.work, p.work, p.upstream, p.port, p.listen)
	_ = os.WriteFile(file, []byte(text), 0o600) // nginx says so if it is not there
	return exec.Command("nginx", "-p", p.work, "-c", file)
}

// nodeScript starts a script of the recipes, or of what they have installed.
func nodeScript(name string) func(*place) *exec.Cmd {
	return func(p *place) *exec.Cmd {
		cmd := exec.Command("node", filepath.Join(p.dir, name), "--port="+strconv.Itoa(p.port), "--headless")
		cmd.Env = append(os.Environ(), p.env()...)
		return cmd
	}
}

func pythonScript(name string) func(*place) *exec.Cmd {
	return func(p *place) *exec.Cmd {
		cmd := exec.Command(filepath.Join(p.dir, "venv/bin/python"), filepath.Join(p.dir, name))
		cmd.Env = append(os.Environ(), p.env()...)
		return cmd
	}
}

func (p *place) env() []string {
	return []string{
		"PORT=" + strconv.Itoa(p.port), "HOST=127.0.0.1", "UPSTREAM=http://" + p.upstream, "NODE_ENV=production", "LOG=false",
		"TRUSTED_CUSTOM_HOSTS=127.0.0.1",
	}
}

const liteLLMConfig = `model_list:
  - model_name: bench
    litellm_params: {model: openai/bench, api_base: "http://%s/v1", api_key: bench, timeout: 600}
litellm_settings: {telemetry: false, request_timeout: 600, num_retries: 0, use_chat_completions_url_for_anthropic_messages: true}
general_settings: {disable_spend_logs: true}
`

// startLiteLLM starts it with one worker, without a database and without keys. More workers are given five seconds to
// start, which is less than they need on a busy machine.
func startLiteLLM(p *place) *exec.Cmd {
	file := filepath.Join(p.work, "config.yaml")
	_ = os.WriteFile(file, fmt.Appendf(nil, liteLLMConfig, p.upstream), 0o600) // it says so if it is not there
	cmd := exec.Command(filepath.Join(p.dir, "venv/bin/litellm"), "--config", file, "--host", "127.0.0.1", "--port", strconv.Itoa(p.port), "--num_workers", "1", "--telemetry", "False")
	cmd.Env = append(os.Environ(), "LITELLM_LOG=ERROR", "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY=true", "LITELLM_LOCAL_MODEL_COST_MAP=True", "NO_PROXY=127.0.0.1", "LITELLM_MODE=PRODUCTION")
	return cmd
}
