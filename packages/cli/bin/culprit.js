#!/usr/bin/env node
// CommonJS, by the manifest beside it: Node starts it sooner than a module.
require('./load.js').load('main.js');
