package io.artifactserver.rest.command.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A tree of pseudo files in a folder; begins as a Linux that nobody has touched. */
final class Machine {
  private final Path root;

  Machine(Path root) throws IOException {
    this.root = root;
    set("net.ipv4.tcp_wmem", "4096\t16384\t4194304");
    set("net.ipv4.tcp_rmem", "4096\t131072\t6291456");
    set("net.ipv4.tcp_congestion_control", "cubic");
    set("net.ipv4.tcp_available_congestion_control", "reno cubic");
    set("net.ipv4.tcp_slow_start_after_idle", "1");
    set("net.ipv4.tcp_notsent_lowat", "4294967295");
    set("net.core.somaxconn", "4096");
    set("net.ipv4.tcp_max_syn_backlog", "2048");
    set("net.ipv4.tcp_syncookies", "1");
    set("net.ipv4.tcp_mem", "287901\t383870\t575802");
    limits("1048576", "1048576");
  }

  Machine set(String setting, String value) throws IOException {
    return file("proc/sys/" + setting.replace('.', '/'), value + "\n");
  }

  Machine limits(String soft, String hard) throws IOException {
    return file(
        "proc/self/limits",
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max cpu time              unlimited            unlimited            seconds
        Max open files            %-20s %-20s files
        """
            .formatted(soft, hard));
  }

  Machine file(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, text);
    return this;
  }

  Machine without(String setting) throws IOException {
    Files.delete(root.resolve("proc/sys/" + setting.replace('.', '/')));
    return this;
  }

  Host host() {
    return new Host(root);
  }
}
