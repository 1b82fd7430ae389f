"""The service way: an HTTP service, profiled through its own routes or through a hook in it."""

import os
import socket
import sys
import unittest

import simulated_run


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Service(simulated_run.RunCase):
    def served(self, faults="", hook=None, start=None, requests=None, **changes):
        port = free_port()
        service = {"start": start or [sys.executable, "serve.py", str(port)],
                   "ready_url": "http://127.0.0.1:%d/health" % port,
                   "requests": requests or [{"method": "POST", "url": "/generate", "body": {"prompt": "a cat"}}]}
        workload = {"way": "service", "service": service}
        if hook:
            service["profile"] = "hook"
            workload["hook"] = hook
        return self.finished(faults=faults, workload=workload, **changes)

    def test_a_service_is_warmed_up_profiled_and_stopped(self):
        run = self.served()
        self.assertEqual("captured", run.status()["state"], (run.status(), run.log()))
        self.assertEqual(["first"] + ["warmup"] * 2 + ["guard"] + ["active"] * 5 + ["after"], [event["phase"] for event in run.events("step")])
        self.assertTrue(os.path.exists(run.output("kernel_details.csv")))
        self.assertEqual(run.status()["of"], run.status()["step"])
        self.assertEqual({}, run.processes())

    def test_a_hook_in_a_service_sees_the_calls_of_its_requests(self):
        run = self.served(hook="denoise:Denoiser.__call__")
        self.assertEqual("captured", run.status()["state"], (run.status(), run.log()))
        self.assertEqual([2, 3, 4, 5, 6], [event["step_id"] for event in run.events("step") if event["phase"] == "active"])

    def test_a_service_without_the_routes_is_said(self):
        run = self.served(faults="no_profile_route")
        self.assertEqual("NO_PROFILE_ROUTE", run.status()["error"]["code"])
        self.assertIn("hook", run.status()["error"]["remedy"])
        self.assertEqual({}, run.processes())

    def test_a_start_that_was_swallowed_is_found_by_its_missing_output(self):
        run = self.served(faults="start_swallowed")
        self.assertEqual("NO_OUTPUT", run.status()["error"]["code"])

    def test_a_service_that_ends_before_it_is_ready_is_a_failure(self):
        self.write("dies.py", "print('no model here')\nraise SystemExit(4)\n")
        run = self.served(start=[sys.executable, "dies.py"])
        self.assertEqual("WORKLOAD_FAILED", run.status()["error"]["code"])
        self.assertIn("no model here", run.status()["error"]["message"])

    def test_a_bad_request_is_told_with_the_services_words(self):
        run = self.served(requests=[{"method": "POST", "url": "/nowhere"}])
        self.assertEqual("REQUEST_FAILED", run.status()["error"]["code"])
        self.assertIn("404", run.status()["error"]["message"])
        self.assertIn("Not Found", run.status()["error"]["message"])

    def test_requests_stay_on_the_targets_loopback(self):
        run = self.served(requests=[{"url": "http://192.0.2.1/"}])
        self.assertEqual("INVALID_ARGUMENTS", run.status()["error"]["code"])
        self.assertIn("nothing ran", run.status()["error"]["message"])

    def test_a_service_that_never_gets_ready_times_out(self):
        run = self.served(start=["sleep", "600"], timeout_s=2)
        self.assertEqual(("timed_out", "load"), (run.status()["state"], run.status()["stage"]))


if __name__ == "__main__":
    unittest.main()
