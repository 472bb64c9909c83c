// For Artillery: a user goes on until SECONDS have passed since the first one came.
let until;

module.exports = {
  goesOn(_context, next) {
    until ??= Date.now() + 1000 * Number(process.env.SECONDS);
    return next(Date.now() < until);
  },
};
