package io.penstock.load;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Duration;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * A connection to the management beans of another JVM of this machine, which needs nothing of the
 * program that runs in it: the JVM is asked by the attach mechanism to start its own agent.
 */
final class RemoteJvm implements AutoCloseable {
  private final JMXConnector connector;
  private final MBeanServerConnection beans;
  private final MemoryMXBean memory;
  private final ObjectName threads;
  private final ObjectName system;

  /** Connects to the process of a gateway. */
  // the address is that of an agent in a process that this one started itself
  @SuppressWarnings("BanJNDI")
  RemoteJvm(Gateway gateway) throws IOException {
    String pid = String.valueOf(gateway.child().program().pid());
    connector = JMXConnectorFactory.connect(new JMXServiceURL(agent(pid)));
    beans = connector.getMBeanServerConnection();
    memory =
        ManagementFactory.newPlatformMXBeanProxy(
            beans, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
    try {
      threads = new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME);
      system = new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME);
    } catch (JMException e) {
      throw new IllegalStateException("the name is a constant of Java", e);
    }
  }

  private static String agent(String pid) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(pid);
      try {
        return machine.startLocalManagementAgent();
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("cannot attach to the gateway's process " + pid, e);
    }
  }

  /**
   * Returns the bytes that all threads have allocated on the heap so far, those that have ended
   * included: {@code com.sun.management.ThreadMXBean#getTotalThreadAllocatedBytes}.
   */
  long allocatedBytes() throws IOException {
    try {
      return (Long) beans.getAttribute(threads, "TotalThreadAllocatedBytes");
    } catch (JMException e) {
      throw new IOException("the gateway's JVM does not say what it allocated", e);
    }
  }

  /** Returns the processor time that the whole process has used so far, its collectors included. */
  Duration cpuTime() throws IOException {
    try {
      return Duration.ofNanos((Long) beans.getAttribute(system, "ProcessCpuTime"));
    } catch (JMException e) {
      throw new IOException("the gateway's JVM does not say what it computed", e);
    }
  }

  /** Collects all garbage twice, and returns the bytes of heap that are used then. */
  long heapBytes() {
    // what the first collection finds unreachable is gone after the second
    memory.gc();
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }

  @Override
  public void close() throws IOException {
    connector.close();
  }
}
