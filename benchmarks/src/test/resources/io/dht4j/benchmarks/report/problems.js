window.problems = [];
addEventListener('error', event => problems.push('error: ' + event.message));
addEventListener('unhandledrejection', event => problems.push('rejection: ' + event.reason));
addEventListener('securitypolicyviolation', event => problems.push('policy: ' + event.blockedURI));
['error', 'warn'].forEach(kind => { console[kind] = (...words) => problems.push(kind + ': ' + words.join(' ')); });
