// For Artillery: each user continues until SECONDS after the start of the first one.
let until;

module.exports = {
  goesOn(_context, next) {
    until ??= Date.now() + 1000 * Number(process.env.SECONDS);
    return next(Date.now() < until);
  },
};
