// For k6. RATE: an open load of RATE arrivals a second, with VUS users created at the start and at most MAX.
// Without RATE: VUS users in a closed loop.
import http from "k6/http";

const { URL, RATE, SECONDS, VUS, MAX } = __ENV;

const open = {
  executor: "constant-arrival-rate",
  rate: Number(RATE),
  timeUnit: "1s",
  duration: `${SECONDS}s`,
  preAllocatedVUs: Number(VUS),
  maxVUs: Number(MAX || VUS),
};
const closed = { executor: "constant-vus", vus: Number(VUS), duration: `${SECONDS}s` };

export const options = {
  scenarios: { load: RATE ? open : closed },
  summaryTrendStats: ["avg", "med", "p(90)", "p(95)", "p(99)", "p(99.9)", "max"],
};

export default function () {
  http.get(URL);
}
