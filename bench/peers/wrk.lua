-- For wrk: prints the figures of its report as JSON, including those that wrk itself omits.
done = function(summary, latency, requests)
  local percentile = function(p) return latency:percentile(p) end
  io.write(string.format(
    '{"requests":%d,"mean":%.1f,"p50":%d,"p90":%d,"p95":%d,"p99":%d,"p99.9":%d,"max":%d}\n',
    summary.requests, latency.mean, percentile(50), percentile(90), percentile(95), percentile(99),
    percentile(99.9), latency.max))
end
