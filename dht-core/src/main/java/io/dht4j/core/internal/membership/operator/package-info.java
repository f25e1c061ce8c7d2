/** The membership of an agreed cluster for operators and applications: its status, events, and changes. */
@NullMarked
package io.dht4j.core.internal.membership.operator;

import org.jspecify.annotations.NullMarked;
